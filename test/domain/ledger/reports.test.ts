import { expect, test } from 'vitest';
import { asks, ledgerOf } from '../../support/log-items.ts';

const constraintsOf = (text: string) => ledgerOf([asks(text)]).constraints;

test.each([
  ['German', 'Der Build läuft immer noch nicht.'],
  ['German', 'Ich habe immer wieder diesen Fehler.'],
  ['German', 'Das hat noch nie funktioniert.'],
  ['German', 'Jetzt sehe ich nur noch eine weiße Seite.'],
  ['German', 'Es werden keine Daten angezeigt.'],
  ['German', 'Ich habe keine Ahnung, woran es liegt.'],
  ['French', 'Ça ne marche toujours pas ici.'],
  ['French', 'Je reçois toujours la même erreur.'],
  ['Spanish', 'Siempre me da el mismo error.'],
  ['Spanish', 'Cada vez que abro la página se cierra.'],
  ['Spanish', 'El servidor sin embargo responde.'],
  ['Spanish', 'Solo veo una página en blanco.'],
  ['Portuguese', 'Sempre que abro a página ela fecha.'],
  ['Italian', 'Mi dà sempre lo stesso errore.'],
  ['Dutch', 'Ik krijg nog altijd dezelfde fout.'],
  ['Russian', 'Он всегда падает с этой ошибкой.'],
  ['Russian', 'Оно никогда не работало.'],
  ['Russian', 'Я вижу только белый экран.'],
  ['Russian', 'Я только что это починил.'],
  ['Korean', '항상 같은 오류가 나요.'],
  ['Korean', '뭘 해야 할지 모르겠어요.'],
  ['Japanese', '必ずしも必要ではありません。'],
  ['Japanese', '今後ともよろしくお願いします。'],
  ['Chinese', '页面还是不能用'],
  ['Chinese', '每次点击都报错'],
  ['Chinese', '这个功能以后会用到'],
  ['German', 'Das macht so keinen Sinn.'],
  ['German', 'Der Fehler tritt ausschließlich unter Windows auf.'],
  ['French', "L'erreur se produit uniquement en production."],
  ['French', 'Je reçois toujours le même message.'],
  ['Spanish', 'El error aparece únicamente en producción.'],
  ['Spanish', 'El servidor siempre devuelve 500.'],
  ['Russian', 'Ошибка возникает исключительно на Windows.'],
  ['Russian', 'проверил осликом - всегда там + - ниче не выводит'],
  ['Russian', 'Он каждый раз выдаёт ошибку.'],
  ['Korean', '버튼을 누르면 항상 오류가 발생합니다.'],
  ['Japanese', '毎回失敗する'],
  ['Chinese', '每次打开页面就崩溃'],
  ['Chinese', '搜索功能不能用了'],
  ['English', 'Test that a token is good while its date is in the future.'],
])('how things are is no instruction in %s: %s', (_, sentence) =>
  expect(constraintsOf(sentence)).toEqual([]),
);

test.each([
  ['German', 'Verwende immer einfache Anführungszeichen.'],
  ['French', 'À partir de maintenant réponds en français.'],
  ['Spanish', 'Siempre que modifiques un archivo, ejecuta los tests.'],
  ['Spanish', 'Cada vez que te pido algo, responde en JSON.'],
  ['Spanish', 'Cada vez que algo falle, avísame.'],
  ['Portuguese', 'Sempre que o usuário entrar, registre o evento.'],
  ['Russian', 'Всегда используй формат JSON.'],
  ['Russian', 'Посмотрел твой код, впредь всегда пиши тесты.'],
  ['Russian', 'Проверил осциллографом, и теперь всегда проверяй питание перед прошивкой.'],
  ['Russian', 'Всегда результат проверяй тестами.'],
  ['Russian', 'Никогда не коммить напрямую в main.'],
  ['Korean', '항상 존댓말로 답변해 주시면 좋겠습니다.'],
  ['Korean', '항상 테스트를 먼저 돌려야 합니다.'],
  ['Chinese', '每次失败都要重试三次'],
  ['Chinese', '每次提交前都要运行测试'],
  ['German', 'Prüfe immer noch einmal die Tests.'],
  ['German', 'Wie immer bitte auf Deutsch antworten.'],
  ['French', 'Utilise toujours la même convention de nommage.'],
  ['Spanish', 'Usa siempre el mismo formato de fecha.'],
  ['Spanish', 'Siempre da ejemplos de código.'],
  ['Spanish', 'Siempre devuelve JSON, por favor.'],
  ['Spanish', 'Como siempre, responde en español.'],
  ['Spanish', 'Cada vez que hago un commit, ejecuta los tests.'],
  ['Portuguese', 'Use sempre o mesmo padrão de nomes.'],
  ['Portuguese', 'Sempre mostra o diff antes de salvar.'],
  ['Portuguese', 'Toda vez que eu rodo o build, mostre o tempo.'],
  ['Italian', 'Usa sempre lo stesso formato per le date.'],
  ['Italian', 'Ogni volta che faccio una domanda, rispondi in italiano.'],
  ['Russian', 'Хочу, чтобы ты всегда отвечал на русском.'],
  ['Russian', 'Пусть функция всегда возвращает массив.'],
  ['Russian', 'Как всегда, отвечай на русском.'],
  ['Korean', '매번 물어보지 않아도 됩니다.'],
  ['Korean', '항상 타입을 먼저 확인하는 게 좋습니다.'],
  ['Japanese', '常に同じ形式で出力すること。'],
  ['Japanese', '今後ともエラー時は日本語で。'],
  ['French', "On n'a jamais le droit de pousser sur main."],
  ['Japanese', '常にエラーを日本語で表示する'],
  ['Japanese', '毎回失敗したら再試行する'],
  ['Chinese', '每次失败后先看日志'],
  ['Chinese', '总是失败的测试要跳过'],
  ['English', 'In the future, run the linter first.'],
])('but how they are to be is one in %s: %s', (_, sentence) =>
  expect(constraintsOf(sentence)).toMatchObject([{ text: sentence, is_standing: true }]),
);

test.each([
  '今後のための記録とします。',
  '今後どのような回避策があるかについてまとめて文書化してもらえると助かります。',
])('what is to come is told, and nothing asked for from now on: %s', (text) => {
  expect(ledgerOf([asks(text)]).constraints.filter(({ is_standing }) => is_standing)).toEqual([]);
});

test.each([
  '今後は日本語で答える。',
  '今後の会話は日本語で行う。',
  '今後何か変更する際は、事前に確認してください。',
  '今後どのような場合でも、テストを先に書いてください。',
  '今後どのファイルも編集しないでください。',
])('a rule: %s', (text) => {
  expect(ledgerOf([asks(text)]).constraints).toMatchObject([{ text, is_standing: true }]);
});
