"""What models call the parts of a ReAct reply, language by language. Words only, no state.

Alternatives stand between bars, the parts of a word between pluses: `|action+input|args` is `input`, `args`,
`action_input` and `action_args`.
"""

from collections.abc import Iterator
from itertools import product

THOUGHT = """
thought|thoughts gedanke|gedanken pensamiento pensamento pensée pensiero мысль|мысли
思考|思考过程|想法|思路|思维|推理 考え 생각 |ال+فكرة|تفكير|فكر
"""
ACTION = """
action|actions|action_name aktion acción ação azione действие eylem akcja|działanie actie tindakan|aksi hành_động
行动|行動|动作|動作|执行动作|執行動作 アクション 행동|액션 |ال+إجراء
"""
INPUT = """
|action|actions|tool+input|inputs|arguments|args|parameters|params|input_json
input+parameters|json with_input json_input
|aktions|handlungs+eingabe|parameter|argumente
entrada|parámetros|argumentos+|de_la_acción|de_acción
entrada|parâmetros|argumentos+|da_ação|de_ação|do_ação
entrée|paramètres|arguments+|de_l'action|d'action
input+azione|dell'azione
ввод|вход|входные_данные|параметры|аргументы+|действия
eylem+girdisi dane_wejściowe actie+invoer|input invoer masukan đầu_vào+|hành_động
|行动|行動|动作|動作|操作|工具+输入|輸入|入力|参数|參數 输入参数|輸入參數
|行動|動作|アクション|ツール+|の+入力|引数|パラメータ
|행동|액션|작업|동작|도구+|의+입력|인자|매개변수
|ال+مدخلات|مدخل|معاملات+|الإجراء|إجراء
"""
ANSWER = """
answer|final_answer|the_final_answer|final_response|final_reply
|finale|endgültige|abschließende+antwort respuesta|resposta|risposta+|final|finale réponse+|finale
|окончательный|финальный|итоговый+ответ
trả_lời|câu_trả_lời cevap|yanıt odpowiedź antwoord|eindantwoord jawaban
答 |最终|最終+回答|答案|答复|答覆|回复|回覆 |最終+|的な+答え|回答 |최종+답변|답
|ال+إجابة|جواب+|النهائية|النهائي|نهائية
"""
OBSERVATION = """
observation|observations|tool_result|tool_results beobachtung observación observação osservazione
наблюдение|результат_наблюдения
观察|觀察|観察+|结果|結果 观测|観測 工具+结果|返回结果 관찰 |ال+ملاحظة
"""
QUESTION = "question 问题|問題|質問 질문 вопрос frage pregunta pergunta"
ROLE = """
user|human usuario utilisateur benutzer|nutzer utente пользователь 用户|用戶|使用者 ユーザー 사용자
"""
WEAK_ACTION = """
tool|tool_name|tool_used|tool_call|function handlung
工具|工具名称|工具調用|工具调用|操作 使用|调用|調用+工具 ツール 도구|작업|동작
"""
WEAK_ANSWER = """
response|reply|conclusion|ai 回应|回應|结论|結論 응답|결론 conclusión|conclusão schlussfolgerung вывод
"""


def spelt_out(words: str) -> Iterator[str]:
    """Each word of such a list."""
    for word in words.split():
        for parts in product(*(part.split("|") for part in word.split("+"))):
            yield "".join(parts)
