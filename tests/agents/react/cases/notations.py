"""Calls and replies in JSON, and in the tags of model families."""

from tests.agents.react.cases.case import NOK, answer, call, problem, rate

OTHER_KEYS = f'{{"Thought": "r", "Action": "exchange_rate", "Action Input": {NOK}}}'
IN_TAGS = """<function=exchange_rate>
<parameter=currency>NOK</parameter>
</function>"""
PYTHON = 'exchange_rate(currency="NOK")'

NOTATIONS = [
    rate("other keys", OTHER_KEYS),
    rate("call within a call", f'{{"thought": "r", "action": {{"name": "exchange_rate", "arguments": {NOK}}}}}'),
    rate("a list of calls", f'[{{"name": "exchange_rate", "arguments": {NOK}}}]'),
    rate("OpenAI's own form", f'{{"tool_calls": [{{"function": {{"name": "exchange_rate", "arguments": {NOK}}}}}]}}'),
    rate("arguments beside the name", '{"action": "exchange_rate", "currency": "NOK"}'),
    rate("JSON on the line after a thought", f'Thought: r\n{{"action": "exchange_rate", "action_input": {NOK}}}'),
    rate("the same in a fence", f'Thought: r\n```json\n{{"action": "exchange_rate", "action_input": {NOK}}}\n```'),
    rate("JSON after a sentence", f'I look.\n```json\n{{"action": "exchange_rate", "action_input": {NOK}}}\n```'),
    rate(
        "list in a fence after the label",
        f'Action: ```json\n[{{"tool_name": "exchange_rate", "parameters": {NOK}}}]```',
    ),
    rate("Python", PYTHON),
    rate("Python, several", f"[{PYTHON}, read_clock()]"),
    rate("Python after Llama's tag", '<|python_tag|>exchange_rate.call(currency="NOK")<|eom_id|>'),
    rate("Gemma's fence", f"```tool_code\nprint({PYTHON})\n```"),
    rate("Python in a tag", f"<tool_call>{PYTHON}</tool_call>"),
    rate("name in the tag", f'<tool_call name="exchange_rate">{NOK}</tool_call>'),
    rate("LangChain's tags", f"<tool>exchange_rate</tool>\n<tool_input>{NOK}</tool_input>"),
    rate(
        "tags for labels", f"<thought>r</thought>\n<action>exchange_rate</action>\n<action_input>{NOK}</action_input>"
    ),
    rate("DSML, bars twice", f'<｜｜DSML｜｜invoke name="exchange_rate">{NOK}</｜｜DSML｜｜invoke>'),
    rate("Mistral with an id", f"[TOOL_CALLS]exchange_rate[CALL_ID]abc123[ARGS]{NOK}</s>"),
    rate("Command A", f'<|START_ACTION|>[{{"tool_name": "exchange_rate", "parameters": {NOK}}}]<|END_ACTION|>'),
    rate("GLM's own role", f"<|assistant|>exchange_rate\n{NOK}"),
    rate(
        "two calls in tags", f"<tool_call>{IN_TAGS}</tool_call>\n<tool_call>{IN_TAGS.replace('NOK', 'SEK')}</tool_call>"
    ),
    call(
        "the end tag in a value",
        "<tool_call>run_code<arg_key>code</arg_key><arg_value>'</tool_call>'</arg_value></tool_call>",
        "run_code",
        code="'</tool_call>'",
    ),
    answer("answer tags", "<think>hm</think>\n<answer>\nEleven.\n</answer>", "Eleven."),
    answer("answer tags after a thought", "Thought: I know.\n<answer>Eleven.</answer>", "Eleven."),
    answer("answer in JSON, other keys", '{"Thought": "I know", "Final Answer": "Eleven."}', "Eleven."),
    answer("JSON that only resembles a call", '{"name": "Clock", "value": 3}', '{"name": "Clock", "value": 3}'),
    answer("a list", "[1, 2, 3]", "[1, 2, 3]"),
    answer("Python that was asked for", f"```python\n{PYTHON}\n```", f"```python\n{PYTHON}\n```"),
    answer("Python spoken of", f"Write {PYTHON} to call it.", f"Write {PYTHON} to call it."),
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
