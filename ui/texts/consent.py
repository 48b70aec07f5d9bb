"""The words of the question whether a tool may run."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsentWords:
    """The card's words. `deeds` and `sources` by a tool's name: what it does, and what it brought in before."""

    heading: str
    deeds: Mapping[str, str]
    any_deed: str
    any_deed_alone: str
    what_runs: str
    no_arguments: str
    strangers_text: str
    every_call: str
    sources: Mapping[str, str]
    any_source: str
    and_: str
    allow: str
    deny: str
    always: str
    not_sent: str
    closed: str
    allowed: str
    always_allowed: str
    denied: str
    unanswered: str


ENGLISH = ConsentWords(
    heading="Do you allow this?",
    deeds={
        "search_web": "Search the web: {subject}",
        "read_page": "Read {subject}",
        "get_weather": "Look up the weather: {subject}",
        "calculate": "Calculate {subject}",
        "run_python": "Run Python",
        "write_file": "Write {subject}",
        "read_file": "Read {subject}",
        "list_files": "Look through the files",
        "query_data": "Query the data",
    },
    any_deed="Use {name}: {subject}",
    any_deed_alone="Use {name}",
    what_runs="Exactly this will run:",
    no_arguments="Nothing is handed over.",
    strangers_text=(
        "Words by strangers came into this chat before ({sources}). Such words can try to steer the assistant, and "
        "this step can carry something out of the chat or change something elsewhere."
    ),
    every_call="You chose to be asked before every tool.",
    sources={
        "search_web": "a web search",
        "read_page": "a web page",
        "get_weather": "a weather service",
        "run_python": "what Python printed",
        "read_file": "a file",
        "list_files": "a list of files",
        "query_data": "a table",
        "upload": "an uploaded file",
    },
    any_source="the tool {name}",
    and_=", ",
    allow="Allow",
    deny="Deny",
    always="Always in this chat",
    not_sent="Your answer did not get through. Please try again.",
    closed="This question is no longer open.",
    allowed="You allowed: {deed}",
    always_allowed="You always allow {name} in this chat: {deed}",
    denied="You did not allow: {deed}",
    unanswered="No answer in time, so this was not done: {deed}",
)

CHINESE = ConsentWords(
    heading="允许这样做吗？",
    deeds={
        "search_web": "搜索网页：{subject}",
        "read_page": "阅读 {subject}",
        "get_weather": "查询天气：{subject}",
        "calculate": "计算 {subject}",
        "run_python": "运行 Python",
        "write_file": "写入 {subject}",
        "read_file": "读取 {subject}",
        "list_files": "查看文件列表",
        "query_data": "查询数据",
    },
    any_deed="使用 {name}：{subject}",
    any_deed_alone="使用 {name}",
    what_runs="将要执行的全部内容：",
    no_arguments="没有附带任何内容。",
    strangers_text=(
        "此前有陌生人写的内容进入了这个对话（{sources}）。这类内容可能会试图左右助手，而这一步可能把对话中的信息带出去，"
        "或在别处改动某些东西。"
    ),
    every_call="你选择了每次使用工具前都要询问。",
    sources={
        "search_web": "网页搜索",
        "read_page": "网页",
        "get_weather": "天气服务",
        "run_python": "Python 的输出",
        "read_file": "文件",
        "list_files": "文件列表",
        "query_data": "数据表",
        "upload": "上传的文件",
    },
    any_source="工具 {name}",
    and_="、",
    allow="允许",
    deny="拒绝",
    always="在此对话中始终允许",
    not_sent="你的回答没有送达，请再试一次。",
    closed="这个问题已经失效。",
    allowed="你已允许：{deed}",
    always_allowed="你在此对话中始终允许 {name}：{deed}",
    denied="你没有允许：{deed}",
    unanswered="没有及时得到回答，因此没有执行：{deed}",
)
