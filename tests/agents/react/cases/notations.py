"""Calls and replies in JSON, and in the tags of model families."""

from tests.agents.react.cases.case import NOK, answer, call, problem, rate

NOTATIONS = [
    rate("Qwen", f'<tool_call>\n{{"name": "exchange_rate", "arguments": {NOK}}}\n</tool_call>'),
    rate(
        "Qwen after a thought",
        f'Thought: r\n<tool_call>\n{{"name": "exchange_rate", "arguments": {NOK}}}\n</tool_call>',
    ),
    rate("Qwen within a line", f'One moment.<tool_call>{{"name": "exchange_rate", "arguments": {NOK}}}</tool_call>'),
    rate(
        "Qwen Coder",
        "Right.\n\n<function=exchange_rate>\n<parameter=currency>\nNOK\n</parameter>\n</function>\n</tool_call>",
    ),
    rate("GLM", "<tool_call>exchange_rate\n<arg_key>currency</arg_key>\n<arg_value>NOK</arg_value>\n</tool_call>"),
    rate("ChatGLM", f"exchange_rate\n{NOK}"),
    rate(
        "MiniMax",
        '<minimax:tool_call>\n<invoke name="exchange_rate">\n<parameter name="currency">NOK'
        "</parameter>\n</invoke>\n</minimax:tool_call>",
    ),
    rate(
        "DeepSeek",
        f"Thought: r\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>exchange_rate\n"
        f"```json\n{NOK}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    ),
    rate(
        "DeepSeek, newer",
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>exchange_rate<｜tool▁sep｜>{NOK}<｜tool▁call▁end｜>",
    ),
    rate(
        "DeepSeek, other bars",
        f"<‖tool▁calls▁begin‖><‖tool▁call▁begin‖>exchange_rate<‖tool▁sep‖>{NOK}<‖tool▁call▁end‖>",
    ),
    call(
        "DSML",
        '<|DSML|tool_calls>\n<|DSML|invoke name="exchange_rate">\n'
        '<|DSML|parameter name="currency" string="true">NOK</|DSML|parameter>\n'
        '<|DSML|parameter name="days" string="false">3</|DSML|parameter>\n</|DSML|invoke>',
        "exchange_rate",
        currency="NOK",
        days=3,
    ),
    rate(
        "Kimi",
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.exchange_rate:0<|tool_call_argument_begin|>{NOK}<|tool_call_end|>",
    ),
    rate("Mistral", f'[TOOL_CALLS][{{"name": "exchange_rate", "arguments": {NOK}}}]'),
    rate("Llama", f'<|python_tag|>{{"name": "exchange_rate", "parameters": {NOK}}}<|eom_id|>'),
    rate("Llama, bare", f'{{"name": "exchange_rate", "parameters": {NOK}}}'),
    rate("function tag with JSON", f"<function=exchange_rate>{NOK}</function>"),
    call("tag without arguments", "<tool_call>read_clock\n</tool_call>", "read_clock"),
    call(
        "value as it stands",
        '<invoke name="run_code">\n<parameter name="code">if a < b:\n    print("{")\n</parameter>\n</invoke>',
        "run_code",
        code='if a < b:\n    print("{")',
    ),
    rate("ReAct in JSON", f'{{"thought": "r", "action": "exchange_rate", "action_input": {NOK}}}'),
    rate("ReAct in JSON in a fence", f'```json\n{{"action": "exchange_rate", "action_input": {NOK}}}\n```'),
    rate("JSON after the label", f'Thought: r\nAction: {{"action": "exchange_rate", "action_input": {NOK}}}'),
    rate(
        "fenced JSON after the label",
        f'Thought: r\nAction:\n```json\n{{"tool": "exchange_rate", "tool_input": {NOK}}}\n```',
    ),
    answer("answer in JSON", '{"thought": "I know", "answer": "Eleven."}', "Eleven."),
    answer("JSON that was asked for", '{"rate": 0.09}', '{"rate": 0.09}'),
    answer("JSON that was asked for, labelled", 'Thought: JSON\nAnswer: {"answer": "x"}', '{"answer": "x"}'),
    problem("unknown tool in JSON", '{"action": "phone", "action_input": {"who": "Ann"}}'),
    problem("broken JSON in tags", '<tool_call>{"name": "exchange_rate", "arguments": {"currency" "NOK"}}</tool_call>'),
    problem("cut in a tag", "<function=run_code>\n<parameter=code>\nprint(1"),
]
