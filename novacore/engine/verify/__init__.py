"""What every answer of a hook must keep, one module each; each raises ``ContractError``.

Stated once, used at run time, in the contracts of plugin authors and in evaluation.
"""
