"""What an answer says around its quotes, in English and in Chinese."""

from __future__ import annotations

from collections.abc import Mapping

Words = Mapping[str, str]

ENGLISH: Words = {
    "intro": "This is the navigator: it finds and quotes code. It is not a language model, it does"
    " not reason about the code and it does not write any.",
    "change": "So it cannot make the change that you ask for; these are the places to look at"
    " for it.",
    "vague": "The question names nothing to search for: no path, no name, no telling word. This is"
    " what the project says of itself.",
    "words": "matches {words}",
    "path": "its path holds {words}",
    "asked": "it is what the question names",
    "uses": "uses `{name}` in {lines}",
    "line": "line {lines}",
    "lines": "lines {lines}",
    "says": "it says: “{text}”",
    "related": "{word} (by related words)",
    "called": "`{name}` is called from {places}.",
    "also": "Also looked at: {places}.",
    "tests": "In tests: {places}.",
    "defined": "`{name}` is defined in {places}.",
    "no_calls": "No use of `{name}` was found outside of its definition. Dynamic calls would not"
    " show, nor does what lies outside the workspace or is ignored.",
    "holds": "`{path}` holds {places}.",
    "near": "No symbol is called `{name}`; the nearest: {places}.",
    "missed": "Not found: {words} (no line of the files that were searched holds it; under another"
    " name it may still be there).",
    "nothing": "Nothing was found. Searched for: {searched}.",
    "try": "Try a name as it stands in the code (`parse_config`), a path, or other words for the"
    " same thing. A miss says only that these words do not occur.",
    "refused": "Could not be looked at: {reasons}.",
    "no_tools": "No tool to search or read with is offered here, so it can look at nothing.",
}
CHINESE: Words = {
    "intro": "这里是 navigator：它查找并引用代码。它不是语言模型，不做推理，也不写代码。",
    "change": "因此它不能完成你要求的修改；下面是相关的位置。",
    "vague": "问题里没有可以搜索的内容（路径、名称或有意义的词）。下面是项目对自己的介绍。",
    "words": "匹配 {words}",
    "path": "路径包含 {words}",
    "asked": "正是问题中提到的名称",
    "uses": "在{lines}使用 `{name}`",
    "line": "第 {lines} 行",
    "lines": "第 {lines} 行",
    "says": "说明：“{text}”",
    "related": "{word}（近义词）",
    "called": "`{name}` 的调用处：{places}。",
    "also": "还查看了：{places}。",
    "tests": "测试中：{places}。",
    "defined": "`{name}` 定义于 {places}。",
    "no_calls": "除定义以外没有找到对 `{name}` 的使用。"
    "动态调用，以及工作区之外或被忽略的文件，不会显示在这里。",
    "holds": "`{path}` 包含 {places}。",
    "near": "没有名为 `{name}` 的符号；最接近的是：{places}。",
    "missed": "没有找到：{words}（搜索过的文件中没有这些词；也可能换了名称）。",
    "nothing": "什么也没有找到。搜索过：{searched}。",
    "try": "请换用代码中的名称（例如 `parse_config`）、路径，或同义的其他词。"
    "没有命中只说明这些词没有出现。",
    "refused": "未能查看：{reasons}。",
    "no_tools": "这里没有提供搜索或读取的工具，因此什么都看不到。",
}
