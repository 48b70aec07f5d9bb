"""Where replies end, what in them is only text, and what is thinking."""

from tests.agents.react.cases.case import NOK, answer, call, problem, rate

ENDS = [
    answer("no tool, in another language", "Thought: easy\nAction: Aucune\nAnswer: Good day!", "Good day!"),
    answer("answer the user", "Thought: ok\nAction: answer_user\nAction Input: 9 cents.", "9 cents."),
    answer("quoted final answer", 'Thought: ok\nAction: Finish\nAction Input: "9 cents."', "9 cents."),
    answer(
        "invents the next question", "Answer: Good day!\nQuestion: And now?\nThought: hm\nAnswer: Nothing.", "Good day!"
    ),
    answer(
        "talks to itself, in Spanish",
        "Answer: Good day!\nUsuario: ¿Y ahora?\nPensamiento: hm\nRespuesta: Nada.",
        "Good day!",
    ),
    answer("token and another turn on the next line", "Answer: 9 cents.<|user|>\nMore", "9 cents."),
    answer("finish behind the label", "Thought: ok\nAction: Final Answer: 9 cents.", "9 cents."),
    answer("a dash for no tool", "Thought: easy\nAction: -\nAnswer: Good day!", "Good day!"),
    answer("answer directly", "思考：好\n行动：直接回答\n行动输入：你好！", "你好！"),
    rate(
        "invented result",
        f"Thought: r\nAction: exchange_rate\nAction Input: {NOK}\nObservation: 0.5\nThought: ok\nAnswer: Half.",
    ),
    rate("invented result, Chinese", f"思考：查\n行动：exchange_rate\n行动输入：{NOK}\n观察：0.5\n回答：一半"),
    rate("answer behind a call", f"Thought: r\nAction: exchange_rate\nAction Input: {NOK}\nAnswer: It will come."),
    rate(
        "several calls",
        f'I need two.\n\nAction: exchange_rate\nAction Input: {NOK}\nAction: look_up\nAction Input: {{"topic": "x"}}',
    ),
    call(
        "invented result, no input", "Thought: t\nAction: read_clock\nObservation: 12:00\nAnswer: Noon.", "read_clock"
    ),
    answer("begins with a result", "Observation: 0.09\nThought: that is it\nAnswer: 9 cents.", "9 cents."),
    answer(
        "talks to itself",
        "Thought: hello\nAnswer: Good day!\nUser: And now?\nThought: hm\nAnswer: Nothing.",
        "Good day!",
    ),
    answer(
        "invents a result behind the answer",
        "Thought: ok\nAnswer: 9 cents.\nObservation: the user is content",
        "9 cents.",
    ),
    answer("template token", "Thought: ok\nAnswer: 9 cents.<|im_end|>", "9 cents."),
    answer(
        "template tokens and another turn",
        "Thought: ok\nAnswer: 9 cents.<|im_end|>\n<|im_start|>user\nMore",
        "9 cents.",
    ),
    answer(
        "no tool, labelled answer", "Thought: easy\nAction: None\nAction Input: None\n\nAnswer: Good day!", "Good day!"
    ),
    answer(
        "no tool, prose",
        "Thought: easy\nAction: N/A\nAction Input: N/A\n\nGood day, what is it?",
        "Good day, what is it?",
    ),
    answer("no tool, Chinese", "思考：不用查\n行动：无\n行动输入：无\n\n你好！", "你好！"),
    answer("finish", 'Thought: ok\nAction: Finish\nAction Input: {"answer": "9 cents."}', "9 cents."),
    answer("finish in brackets", "Thought: ok\nAction: Finish[It's 9 cents.]", "It's 9 cents."),
    answer("finish as a call", 'Thought: ok\nAction: finish(answer="9 cents.")', "9 cents."),
    answer(
        "final answer as a tool",
        "Thought: ok\nAction: Final Answer\nAction Input: 9 cents.\nOr 10.",
        "9 cents.\nOr 10.",
    ),
    problem("no tool and no answer", "Thought: no way\nAction: none (no tool fits)", "thinking_only"),
    problem("only a thought", "Thought: The user says hello, so good day to you!", "thinking_only"),
    problem("empty answer", "Thought: I know.\nAnswer:", "thinking_only"),
    problem("empty", "", "empty"),
    problem("blank", " \n\n", "empty"),
]

TEXT = [
    rate(
        "a formula on a line of the thought",
        f"Thought: the set\n{{x | x > 0\nAction: exchange_rate\nAction Input: {NOK}",
    ),
    answer("JSON in the thought", 'Thought: it says\n{"a": 1}\nso be it.\nAnswer: One.', "One."),
    answer(
        "label in the answer",
        "Thought: count\nAnswer: 'Action:' has seven characters.",
        "'Action:' has seven characters.",
    ),
    answer(
        "labels in the answer",
        "Thought: show\nAnswer: Write\nThought: x\nAction: read_clock\nAction Input: {}",
        "Write\nThought: x\nAction: read_clock\nAction Input: {}",
    ),
    answer(
        "code in the answer",
        "Thought: show\nAnswer: So:\n```python\nprint('Action: x')\n```\nDone.",
        "So:\n```python\nprint('Action: x')\n```\nDone.",
    ),
    answer(
        "format in a code block",
        "Thought: show\nAnswer: So:\n```\nThought: a\nAction: read_clock\nObservation: b\n```",
        "So:\n```\nThought: a\nAction: read_clock\nObservation: b\n```",
    ),
    answer(
        "fence in a fenced reply",
        "```\nThought: show\nAnswer: So:\n```python\nx\n```\nDone.\n```",
        "So:\n```python\nx\n```\nDone.",
    ),
    answer(
        "markup in the answer",
        "Thought: show\nAnswer: `<tool_call>{}</tool_call>` and <think> are tags.",
        "`<tool_call>{}</tool_call>` and <think> are tags.",
    ),
    answer(
        "token in the answer",
        "Thought: show\nAnswer: After <|im_end|> the turn is over.",
        "After <|im_end|> the turn is over.",
    ),
    answer(
        "dialogue",
        "Thought: write\nAnswer: A scene\nUser: Hello\nBot: Hi\nUser: Bye",
        "A scene\nUser: Hello\nBot: Hi\nUser: Bye",
    ),
    answer(
        "experiment",
        "Thought: write\nAnswer: Lab\nObservation: it turned blue\nResult: acid",
        "Lab\nObservation: it turned blue\nResult: acid",
    ),
    answer(
        "quiz",
        "Thought: cards\nAnswer: One\nQuestion: 1+1\nAnswer: 2\nTwo\nQuestion: 2+2\nAnswer: 4",
        "One\nQuestion: 1+1\nAnswer: 2\nTwo\nQuestion: 2+2\nAnswer: 4",
    ),
    answer(
        "quiz without label",
        "One\nQuestion: 1+1\nAnswer: 2\n\nTwo\nQuestion: 2+2\nAnswer: 4",
        "One\nQuestion: 1+1\nAnswer: 2\n\nTwo\nQuestion: 2+2\nAnswer: 4",
    ),
    answer(
        "document, then answer",
        "# Owls\n\nThey hunt at night.\n\nAnswer: The text is above.",
        "# Owls\n\nThey hunt at night.\n\nThe text is above.",
    ),
    answer(
        "prose with a label inside",
        "A leaflet:\n\nCall to Action: come by on Monday!",
        "A leaflet:\n\nCall to Action: come by on Monday!",
    ),
    answer("plan", "The plan\n" + "Action: go on\n" * 60, ("The plan\n" + "Action: go on\n" * 60).strip()),
    answer(
        "format explained without label",
        "So:\n```\nThought: a\nAction: read_clock\nAction Input: {}\n```\nThat is all.",
        "So:\n```\nThought: a\nAction: read_clock\nAction Input: {}\n```\nThat is all.",
    ),
    answer(
        "code without label", "```python\n# Action: none\nprint(1)\n```", "```python\n# Action: none\nprint(1)\n```"
    ),
    answer("label mentioned in the thought", "Thought: It wants 'Answer: a' or 'Answer: b'. It is a.\nAnswer: a", "a"),
    answer("action mentioned in the thought", "Thought: I shall write Action: and stop there.\nAnswer: Fine.", "Fine."),
    rate(
        "answer mentioned before a call",
        f"Thought: later comes a line with Answer: but first the rate.\nAction: exchange_rate\nAction Input: {NOK}",
    ),
    rate(
        "answer mentioned as a sentence",
        f"Thought: Not yet. Answer: comes later.\nAction: exchange_rate\nAction Input: {NOK}",
    ),
]

THINKING = [
    rate("before a call", f"<think>\nMoney.\n</think>\n\nThought: r\nAction: exchange_rate\nAction Input: {NOK}"),
    answer("with a drafted answer", "<think>\nPerhaps\nAnswer: no\n</think>\nThought: ok\nAnswer: Yes.", "Yes."),
    answer(
        "with a drafted call",
        "<think>\nPerhaps:\nAction: read_clock\nAction Input: {}\nNo.\n</think>\nThought: ok\nAnswer: Yes.",
        "Yes.",
    ),
    answer("before prose", "<think>\nhm\n</think>\n\nYes, it is.", "Yes, it is."),
    answer("without its opening tag", "The user greets me.\n</think>\n\nGood day!", "Good day!"),
    answer(
        "without its opening tag, labelled",
        "The user greets me.\n</think>\n\nThought: ok\nAnswer: Good day!",
        "Good day!",
    ),
    answer("other tag", "<thinking>greet</thinking>\nThought: ok\nAnswer: Good day!", "Good day!"),
    answer("empty", "<think></think>\nThought: ok\nAnswer: Good day!", "Good day!"),
    problem("only thinking", "<think>\nhm\n</think>\n", "thinking_only"),
    problem("never closed", "<think>\nLet me see, and see, and see", "thinking_only"),
]
