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
  ['Chinese', '页面还是不能用'],
  ['Chinese', '每次点击都报错'],
  ['Chinese', '这个功能以后会用到'],
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
  ['Russian', 'Всегда результат проверяй тестами.'],
  ['Russian', 'Никогда не коммить напрямую в main.'],
  ['Korean', '항상 존댓말로 답변해 주시면 좋겠습니다.'],
  ['Korean', '항상 테스트를 먼저 돌려야 합니다.'],
  ['Chinese', '每次失败都要重试三次'],
  ['Chinese', '每次提交前都要运行测试'],
  ['English', 'In the future, run the linter first.'],
])('but how they are to be is one in %s: %s', (_, sentence) =>
  expect(constraintsOf(sentence)).toMatchObject([{ text: sentence, is_standing: true }]),
);
