"""Words of questions about code: which say nothing, which mean the same, and their Chinese."""

from __future__ import annotations

_SAYS_NOTHING = """
    a about across actually after again against all also always an and another any anything
    are around as at be because been before being between both but by call called caller
    callers calling calls can class classes code could declared defined definition describe
    did do does doing done during each else ever every everything exactly explain file files
    find first for from function functions get gets give given go goes had handle handled
    handles handling happen happened happens has have having he here how i if implement
    implementation implemented in inside into is it its itself just kind know last let like
    line lines located location logic look looks made make makes many may me mean means
    method methods might module modules more most much must my name need needs never new no
    not nothing now of off often on once one only onto or other our out over own part parts
    per place places please program project repo repository responsible same say see shall
    she should show so some somebody someone something somewhere such tell than that the
    their them then there these they thing things this those through to too two under until
    up upon us use used uses using very via want was way ways we well were what when where
    whether which while who whom whose why will with without work working works would yet
    you your
"""
STOP_WORDS = frozenset(_SAYS_NOTHING.split())
"""English words that find nothing, or that any question about code may hold."""

FORMS = tuple(
    tuple(group.split())
    for group in (
        "hang hung", "run ran", "write wrote written", "send sent", "keep kept", "build built",
        "lose lost loss", "hold held", "choose chose chosen choice", "break broke broken",
        "throw thrown threw", "catch caught", "freeze froze frozen", "bind bound",
        "begin began begun", "leave left", "tell told", "say said", "know known",
        "take took taken", "grow grew grown", "draw drew drawn", "hide hid hidden",
        "config configuration configure cfg", "directory dir", "repository repo",
        "environment env", "authenticate authentication auth", "argument arg", "parameter param",
        "database db", "message msg", "request req", "response resp", "initialise initialize init",
        "temporary temp tmp", "maximum max", "minimum min", "command cmd", "document doc",
        "synchronise synchronize sync", "asynchronous async", "execute exec", "expression expr",
        "specification spec", "permission perm", "identity identifier", "information info",
        "authorise authorize", "serialise serialize", "normalise normalize", "dependency dep",
    )
)  # fmt: skip
"""Words that count as one: irregular forms and the short names that programs use."""

RELATED = tuple(
    tuple(group.split())
    for group in (
        "hang stuck freeze timeout deadline unresponsive", "stop kill abort cancel terminate end",
        "crash fault failure exception", "login auth credential signin", "delete remove unlink",
        "config setting option preference", "compute calculate", "mask redact scrub sanitize",
        "secret credential password", "spill overflow offload", "save store persist",
        "limit budget quota cap", "permission allow approve grant authorize", "retry backoff",
        "lock mutex exclusive", "directory folder", "start launch spawn boot", "parse tokenize",
        "render draw display", "send emit publish", "receive listen subscribe",
        "validate verify check", "convert transform", "log trace audit", "duplicate dedupe unique",
        "size length width", "image picture", "user account person", "website page", "sort order",
        "encrypt cipher", "download fetch", "upload push",
        "fast cache performance", "shrink compact",
    )
)  # fmt: skip
"""Words that may stand where the question's own do not occur; tried only then."""

CHINESE = {
    "插件": "plugin", "缓存": "cache", "测试": "test", "配置": "config", "设置": "setting",
    "错误": "error", "异常": "exception", "失败": "fail", "日志": "log", "会话": "session",
    "窗口": "window", "预算": "budget", "权限": "permission", "信任": "trust", "密钥": "secret",
    "秘密": "secret", "密码": "password", "令牌": "token", "工具": "tool", "压缩": "compact",
    "记忆": "memory", "内存": "memory", "提示": "prompt", "路径": "path", "目录": "directory",
    "文件夹": "folder", "服务器": "server", "服务": "service", "客户端": "client",
    "请求": "request", "响应": "response", "消息": "message", "钩子": "hook", "停止": "stop",
    "终止": "terminate", "取消": "cancel", "超时": "timeout", "卡住": "hang", "卡死": "hang",
    "挂起": "hang", "重试": "retry", "解析": "parse", "搜索": "search", "查找": "find",
    "读取": "read", "写入": "write", "写到": "write", "保存": "save", "存储": "store",
    "磁盘": "disk", "数据库": "database", "网络": "network", "线程": "thread", "进程": "process",
    "命令": "command", "模型": "model", "用户": "user", "登录": "login", "认证": "auth",
    "版本": "version", "符号": "symbol", "大纲": "outline", "编辑": "edit", "替换": "replace",
    "删除": "delete", "创建": "create", "加载": "load", "启动": "start", "运行": "run",
    "执行": "execute", "计算": "compute", "统计": "count", "价格": "price", "费用": "cost",
    "限制": "limit", "事件": "event", "状态": "state", "历史": "history", "恢复": "resume",
    "快照": "snapshot", "掩码": "mask", "屏蔽": "mask", "遮盖": "mask", "溢出": "spill",
    "结果": "result", "输出": "output", "输入": "input", "注册": "register", "调度": "dispatch",
    "分发": "dispatch", "校验": "verify", "验证": "validate", "检查": "check", "锁": "lock",
    "排序": "sort", "渲染": "render", "显示": "display", "编码": "encode", "解码": "decode",
    "索引": "index", "队列": "queue", "连接": "connect", "发送": "send", "接收": "receive",
    "转换": "convert", "合并": "merge", "回滚": "rollback", "迁移": "migrate", "图片": "image",
    "页面": "page", "按钮": "button", "组件": "component", "接口": "interface", "类型": "type",
    "参数": "argument", "变量": "variable", "仓库": "repository", "分支": "branch",
    "提交": "commit", "指令": "instruction", "规则": "rule", "计划": "plan", "召回": "recall",
}  # fmt: skip
"""What a Chinese question's words are called in code."""

CHINESE_STOP = (
    "哪个文件|哪些|哪里|哪儿|哪个|什么地方|什么|怎么样|怎么|怎样|如何|为什么|为何|请问|解释|说明|告诉我"
    "|处理|实现|调用|引用|使用|代码|函数|方法|模块|文件|的时候|时候|的话|之前|之后|以前|以后"
    "|被|把|会|在|的|了|是|到|上|下|里|中|和|与|谁|有|对|从|用|一个|这个|那个|它|时|请|吗|呢|吧|地|得|不"
)
"""Chinese words that find nothing, as alternatives of a pattern, longest first."""
