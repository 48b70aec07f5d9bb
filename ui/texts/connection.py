"""The words about the model's connection."""

from collections.abc import Mapping
from dataclasses import dataclass

from llm.doctor.words import ENGLISH as ENGLISH_DIAGNOSIS
from llm.doctor.words import Words as DiagnosisWords


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionWords:
    """Which model answers, what is being done to get one, and how to connect another."""

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
    python: Mapping[str, str]
    diagnosis: DiagnosisWords


ENGLISH = ConnectionWords(
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
    python={
        "bubblewrap": "Python: confined by bubblewrap",
        "landlock": "Python: confined by Landlock (bubblewrap would be safer)",
        "switched_off": "Python: switched off (RUN_PYTHON=off)",
        "not_linux": "Python: off, code can be confined on Linux only",
        "processor": "Python: off, code can't be confined on this processor",
        "exposed": "Python: off, the server's folder lies among Python's libraries; move it",
        "not_installed": "Python: off; install bubblewrap and start again",
        "forbidden": "Python: off, this system forbids namespaces and has no Landlock",
        "failing": "Python: off, the confined process does not start; the server's log says why",
        "leaking": "Python: off, the confinement did not hold in the self-test; please report this",
    },
    diagnosis=ENGLISH_DIAGNOSIS,
)

CHINESE = ConnectionWords(
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
    python={
        "bubblewrap": "Python：由 bubblewrap 隔离",
        "landlock": "Python：由 Landlock 隔离（装上 bubblewrap 会更安全）",
        "switched_off": "Python：已关闭（RUN_PYTHON=off）",
        "not_linux": "Python：不可用，只有在 Linux 上才能隔离代码",
        "processor": "Python：不可用，这种处理器上无法隔离代码",
        "exposed": "Python：不可用，服务器的文件夹在 Python 的库里，请移到别处",
        "not_installed": "Python：不可用，请安装 bubblewrap 后重新启动",
        "forbidden": "Python：不可用，这个系统不允许命名空间，也没有 Landlock",
        "failing": "Python：不可用，隔离的进程无法启动，原因见服务器日志",
        "leaking": "Python：不可用，自检时隔离没有守住，请报告这个问题",
    },
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
)
