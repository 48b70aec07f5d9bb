"""Every word that people see, in English and Chinese. Nothing else of the page lives here."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from llm.doctor.words import ENGLISH as ENGLISH_DIAGNOSIS
from llm.doctor.words import Words as DiagnosisWords
from llm.errors import LLMError

Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class ToolWords:
    """How a tool is told of: while it runs, after it ran, and which argument says what it is about."""

    running: str
    ran: str
    subject: str
    icon: str


@dataclass(frozen=True, slots=True)
class StarterText:
    """A suggestion on the first page."""

    label: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The strings of one language. Names in braces are filled in where the text is used."""

    thinking: str
    thought_for: str
    thought_moment: str
    seconds: str
    minutes: str
    tools: Mapping[str, ToolWords]
    any_tool: ToolWords
    tool_failed: str
    stopped: str
    gave_up: str
    failed: str
    unexpected: str
    retrying: Mapping[str, str]
    too_long: str
    empty: str
    looking: str
    fetching: str
    starting: str
    asking: str
    answers: str
    answers_detected: str
    answers_builtin: str
    about_builtin: str
    how_to_connect: str
    check: str
    checking: str
    check_failed: str
    diagnosis: DiagnosisWords
    starters: tuple[StarterText, ...]
    errors: Mapping[str, str]


def duration(texts: Texts, seconds: float) -> str:
    """A time as people say it: `4 s`, and `1 min 20 s` from a minute on."""
    whole = max(1, round(seconds))
    if whole < 60:
        return texts.seconds.format(seconds=whole)
    return texts.minutes.format(minutes=whole // 60, seconds=whole % 60)


def sentence_of(texts: Texts, error: Exception | None) -> str:
    """What to tell people about an error: its own sentence in their language, else that the app is at fault."""
    template = texts.errors.get(type(error).__name__)
    if template and isinstance(error, LLMError):
        return template.format(**error.facts)
    return error.user_message if isinstance(error, LLMError) else texts.unexpected


ENGLISH = Texts(
    thinking="Thinking…",
    thought_for="Thought for {duration}",
    thought_moment="Thought for a moment",
    seconds="{seconds} s",
    minutes="{minutes} min {seconds} s",
    tools={
        "search_web": ToolWords("Searching the web: {subject}", "Searched the web: {subject}", "query", "search"),
        "read_page": ToolWords("Reading {subject}", "Read {subject}", "url", "book-open"),
        "get_weather": ToolWords("Looking up the weather: {subject}", "Weather: {subject}", "city", "cloud-sun"),
        "calculate": ToolWords("Calculating {subject}", "Calculated {subject}", "expression", "calculator"),
    },
    any_tool=ToolWords("Using {name}", "Used {name}", "", "wrench"),
    tool_failed="{title} · did not work",
    stopped="Stopped after {duration}",
    gave_up="This is the best answer so far: the model did not come to an end of its own accord.",
    failed="**This did not work.** {sentence}",
    unexpected="Something went wrong in the app itself. What you saw is kept; please try again.",
    retrying={
        "empty": "The reply was empty; asking again",
        "unreadable": "The reply could not be read; asking again",
        "thinking_only": "Only thinking arrived; asking for the answer",
    },
    too_long="This message is too long ({length:,} characters; at most {limit:,}). Please shorten it or split it.",
    empty="The model answered with nothing. Please ask again, perhaps in other words.",
    looking="Looking for a model on this computer…",
    fetching="Fetching the built-in model {name}: {done} of {total} MB. This happens once.",
    starting="Starting the built-in model {name}… The very first time this takes up to a minute.",
    asking="Asking {server} which model it has…",
    answers="{model} on {server} answers",
    answers_detected="{model} answers, found on this computer ({server})",
    answers_builtin="A small built-in model answers: {model}",
    about_builtin="The built-in model is good for a first look; a larger one thinks further.\n\n",
    how_to_connect=(
        "To connect another model, put one of these into a file `.env` beside `app.py` and start again:\n\n"
        "- DeepSeek: `DEEPSEEK_API_KEY=…`\n"
        "- any other endpoint: `LLM_API_BASE=…`, `LLM_API_KEY=…` and `LLM_MODEL=…`\n\n"
        "Ollama, LM Studio, llama.cpp and vLLM on this computer are found without any setting."
    ),
    check="Check the connection",
    checking="Checking the connection…",
    check_failed="The connection does not work: {sentence}",
    diagnosis=ENGLISH_DIAGNOSIS,
    starters=(
        StarterText("Think it through", "A bat and a ball cost 1.10 together, and the bat costs 1.00 more than the "
                    "ball. What does the ball cost? Explain how you know."),
        StarterText("Ask the weather", "What is the weather in Oslo, and what should I wear today?"),
        StarterText("Search the web", "What is new in space exploration this month? Name your sources."),
        StarterText("Calculate exactly", "What is 23*19? And what is 15 % of 1,299?"),
    ),
    errors={},
)  # fmt: skip

_CONNECT_ZH = "也可以连接自己的模型：在 .env 文件中填写地址和密钥（写法见 .env.example），或在这台电脑上启动 Ollama。"

CHINESE = Texts(
    thinking="思考中…",
    thought_for="思考了 {duration}",
    thought_moment="思考了片刻",
    seconds="{seconds} 秒",
    minutes="{minutes} 分 {seconds} 秒",
    tools={
        "search_web": ToolWords("正在搜索网页：{subject}", "已搜索网页：{subject}", "query", "search"),
        "read_page": ToolWords("正在阅读 {subject}", "已阅读 {subject}", "url", "book-open"),
        "get_weather": ToolWords("正在查询天气：{subject}", "天气：{subject}", "city", "cloud-sun"),
        "calculate": ToolWords("正在计算 {subject}", "已计算 {subject}", "expression", "calculator"),
    },
    any_tool=ToolWords("正在使用 {name}", "已使用 {name}", "", "wrench"),
    tool_failed="{title} · 没有成功",
    stopped="已停止，用时 {duration}",
    gave_up="以上是目前最好的回答：模型没有自己得出结论。",
    failed="**这次没有成功。** {sentence}",
    unexpected="应用本身出了问题。已显示的内容都保留着，请再试一次。",
    retrying={
        "empty": "回复是空的，正在重新提问",
        "unreadable": "回复无法识别，正在重新提问",
        "thinking_only": "只收到了思考过程，正在请模型作答",
    },
    too_long="这条消息太长了（{length:,} 个字符，最多 {limit:,} 个）。请缩短或分成几条发送。",
    empty="模型没有给出任何内容。请换个说法再问一次。",
    looking="正在这台电脑上寻找模型…",
    fetching="正在下载内置模型 {name}：{done} / {total} MB。只需下载一次。",
    starting="正在启动内置模型 {name}… 第一次需要不到一分钟。",
    asking="正在询问 {server} 有哪些模型…",
    answers="由 {server} 上的 {model} 回答",
    answers_detected="由这台电脑上的 {model} 回答（{server}）",
    answers_builtin="由内置的小模型回答：{model}",
    about_builtin="内置模型适合初步体验，更大的模型想得更远。\n\n",
    how_to_connect=(
        "要连接其他模型，请在 `app.py` 旁边的 `.env` 文件中填写其中一项，然后重新启动：\n\n"
        "- DeepSeek：`DEEPSEEK_API_KEY=…`\n"
        "- 其他接口：`LLM_API_BASE=…`、`LLM_API_KEY=…` 和 `LLM_MODEL=…`\n\n"
        "这台电脑上的 Ollama、LM Studio、llama.cpp 和 vLLM 无需设置即可找到。"
    ),
    check="检查连接",
    checking="正在检查连接…",
    check_failed="连接不可用：{sentence}",
    diagnosis=DiagnosisWords(
        endpoint="地址：{address}",
        endpoint_of="地址：{address}（{server}）",
        model="模型：{model}",
        no_model="模型：未设置",
        key="密钥：已设置",
        no_key="密钥：未设置",
        reachable="连接：正常",
        answers_after="连接：正常，{seconds} 秒后收到第一个词元",
        unreachable="连接：无法连接",
        thinking_in_field="思考：在字段 {field} 中",
        thinking_in_tags="思考：在正文的标签中",
        thinking_in_list="思考：在内容的各部分中",
        thinking_hidden="思考：有，但服务器不显示",
        no_thinking="思考：没有看到",
        tool_calls="原生工具调用：支持",
        no_tool_calls="原生工具调用：没有看到（没有它也能使用工具）",
        usage="词元计数：有",
        no_usage="词元计数：没有",
        works="连接正常。",
    ),
    starters=(
        StarterText("想一想", "球拍和球一共 1.10 元，球拍比球贵 1.00 元。球多少钱？请说明理由。"),
        StarterText("问天气", "北京今天天气怎么样？出门该穿什么？"),
        StarterText("搜索网页", "这个月航天领域有什么新闻？请注明来源。"),
        StarterText("精确计算", "23*19 等于多少？1,299 的 15% 是多少？"),
    ),
    errors={
        "LLMError": "{host} 没能回答。请再试一次。",
        "KeyRefused": "{host} 不接受这个密钥。请检查密钥，并确认它属于这个地址。",
        "KeyMissing": "{host} 需要密钥，但没有设置。请设置密钥后重新启动。",
        "NoBalance": "{host} 的账户余额不足。请充值，或换一个密钥。",
        "RateLimited": "{host} 的请求太多了。请等 {seconds} 秒后再试。",
        "ServerBusy": "{host} 现在太忙。请等 {seconds} 秒后再试。",
        "ServerFailed": "{host} 自身出了故障。请再试一次；如果一直如此，请查看它的状态页。",
        "ModelUnknown": "{host} 没有名为 {model} 的模型。请检查设置中的模型名称。",
        "ModelRetired": "{model} 已停用。请改用 {successor}。",
        "ModelNotNamed": (
            "没有设置 LLM_MODEL，在 {address} 也找不到模型列表。请检查地址（多数以 /v1 结尾），"
            "或在 LLM_MODEL 中填写模型名称，然后重新启动。"
        ),
        "WrongAddress": "{address} 没有可对话的模型。请检查地址，多数地址以 /v1 结尾。",
        "RequestRefused": "{host} 拒绝了请求：{reason}。请新建对话，或修改它提到的设置。",
        "ContextTooLong": "对话超过了 {model} 能读的 {limit} 个词元。请新建对话，或缩小问题。",
        "RequestTooLarge": "消息对 {host} 来说太大了。请减少文字，或发送更小的文件。",
        "Unreachable": "无法连接 {address}。请检查地址和网络，并确认服务正在运行。",
        "StreamCut": "回答还没完成，与 {host} 的连接就断开了。请再问一次以继续。",
        "UnreadableReply": "{host} 发来的内容不是有效的回复。请再试一次；如果一直如此，请检查地址和模型。",
        "Stalled": "{host} 已有 {seconds} 秒没有任何回应，因此放弃了这次回答。请再试一次。",
        "Filtered": "{host} 的内容过滤器拦下了回答或其余下的部分。请换个说法再问。",
        "OutOfTokens": "回答达到词元上限而被截断。请让它继续，或调高上限。",
        "ThinkingOutOfTokens": "模型把词元都用在了思考上，没有写出回答。请调高上限，或减少思考。",
        "NoModel": (
            "还没有连接模型。请在 .env 文件中填写模型的地址和密钥（写法见 .env.example）并重新启动；"
            "或在这台电脑上启动 Ollama 后再问一次；或设置 LOCAL_MODEL=auto 使用内置模型。"
        ),
        "NoNativeTools": "{model} 在这里不能自行调用工具。请选择 ReAct：它在任何地方都能用。",
        "WeightsUnavailable": "内置模型 {name} 没能下载。请检查网络后再问一次，已下载的部分会保留。" + _CONNECT_ZH,
        "WeightsDamaged": "下载的内置模型 {name} 与原件不符，已经丢弃。请再问一次以重新下载。" + _CONNECT_ZH,
        "NoSpace": (
            "放不下内置模型 {name}：{folder} 需要 {needed} 的可用空间。请腾出空间后再问一次，"
            "或用 THINKGLASS_CACHE 指定别的文件夹，或设置 LOCAL_MODEL=small 使用更小的模型。" + _CONNECT_ZH
        ),
        "EngineMissing": (
            "这台电脑无法加载内置模型的引擎。在 Debian 和 Ubuntu 上可能缺少 libgomp1，安装后再问一次。" + _CONNECT_ZH
        ),
        "EngineFailed": (
            "内置模型意外停止了。再问一次会重新启动它；如果反复出现，可能是内存不足，请试试 LOCAL_MODEL=small。"
            + _CONNECT_ZH
        ),
        "ModelFileMissing": "LOCAL_MODEL_PATH 指向 {path}，但那不是可读的 GGUF 文件。请更正或去掉它，然后重新启动。",
    },
)

TEXTS: Mapping[Language, Texts] = {"en": ENGLISH, "zh": CHINESE}
