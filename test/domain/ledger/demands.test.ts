import { expect, test } from 'vitest';
import { Constraints } from '../../../src/domain/ledger/constraints.ts';
import { asks, ledgerOf, tells } from '../../support/log-items.ts';

const constraintsOf = (text: string) =>
  ledgerOf([asks(text)]).constraints.map((one) => ({ text: one.text, is: one.is_standing }));

test.each([
  ['German', 'Die Tests dürfen dabei nicht verändert werden.'],
  ['German', 'Achte darauf, dass alle Texte gleich lang sind.'],
  ['German', 'Stelle bitte sicher, dass alte Clients weiter laufen.'],
  ['German', 'Verwende ausschließlich die Standardbibliothek.'],
  ['German', 'Fass die Datei config.yml nicht an.'],
  ['German', 'Vermeide neue Abhängigkeiten.'],
  ['German', 'Gib keine Passwörter aus.'],
  ['German', 'Es sind keine Änderungen am Schema erlaubt.'],
  ['Spanish', 'Asegúrate de que los clientes antiguos funcionen.'],
  ['Spanish', 'Usa únicamente la biblioteca estándar.'],
  ['Spanish', 'Hay que mantener la compatibilidad con la v1.'],
  ['Spanish', 'No olvides actualizar el README.'],
  ['Spanish', 'Evita añadir dependencias nuevas.'],
  ['Portuguese', 'Garanta que os clientes antigos funcionem.'],
  ['Portuguese', 'O código tem que rodar no Node 20.'],
  ['Portuguese', 'Não toque nos testes.'],
  ['Italian', 'Non modificare nulla nel database.'],
  ['Italian', 'Assicurati che i vecchi client funzionino.'],
  ['French', "Il faut que l'ancienne version marche encore."],
  ['French', 'Utilise uniquement la bibliothèque standard.'],
  ['French', 'Évite les dépendances en plus.'],
  ['French', 'Ok, je reprends la main, ne communique donc plus avec elle stp'],
  ['French', "Sois bref, n'invente rien"],
  ['Italian', 'Ma ti avevo gia detto di non fare leva'],
  ['English', 'I already told you not to use leverage'],
  ['Spanish', 'Te dije que no usaras emojis'],
  ['English', 'I told you several times not to commit'],
  ['Spanish', 'Te pedí que no lo hicieras'],
  ['Spanish', 'Ya te he dicho que no borres los archivos'],
  ['Portuguese', 'Eu disse para não mexer no banco'],
  ['Italian, in a chat of several', '[Marco] Voglio solo trade normali senza leva'],
  ['Italian, in a chat of several', '[Marco] Non usare mai la leva'],
  ['Chinese', '你可以修改样式，但不能修改接口'],
  ['Chinese', '你来修复，但是不能删除数据'],
  ['Russian', 'Код должен работать на Node 20.'],
  ['Russian', 'Не трогать тесты!'],
  ['Russian', 'Убедись, что старые клиенты работают.'],
  ['Russian', 'Обязательно сделай копию перед миграцией.'],
  ['Ukrainian', 'Змінюй тільки стилі.'],
  ['Korean', '표준 라이브러리만 사용해 주세요.'],
  ['Korean', 'main에 직접 커밋하면 안 됩니다.'],
  ['Korean', '새로운 의존성은 추가하지 않도록 해주세요.'],
  ['Japanese', 'テストは触らないで。'],
  ['Japanese', '後方互換性を維持すること。'],
  ['Japanese', 'mainに直接コミットしてはいけません。'],
  ['Chinese', '只使用标准库。'],
  ['Chinese', '请确保接口向后兼容。'],
  ['Chinese', '避免增加新的依赖。'],
  ['Dutch', 'Verander niets aan de database.'],
  ['Dutch', 'Zorg ervoor dat oude clients blijven werken.'],
  ['Polish', 'Upewnij się, że stare klienty działają.'],
  ['Indonesian', 'Pastikan klien lama tetap jalan.'],
  ['Vietnamese', 'Chỉ dùng thư viện chuẩn.'],
  ['Arabic', 'تأكد من أن الواجهة تبقى متوافقة.'],
  ['German', 'Es sind keine externen Bibliotheken zu verwenden.'],
  ['German', 'Macht bitte keine Änderungen an der Datenbank.'],
  ['German', 'Es gibt keine Ausnahmen, alle Tests müssen laufen.'],
  ['German', 'Push nichts auf main.'],
  ['Spanish', 'Solo muestra los errores.'],
  ['Spanish', 'Usa tipos estrictos y evita any.'],
  ['Portuguese', 'Mostra apenas os erros.'],
  ['Portuguese', 'Também evite comentários.'],
  ['Portuguese', 'Garante que os testes passam.'],
  ['French', 'Il faut éviter les doublons.'],
  ['Hindi', 'सिर्फ TypeScript का उपयोग करो।'],
  ['English', 'Use `bun` for any package or script.'],
  ['English', "commit this on a feature branch. use prefix 'rwr/' for the branch name"],
  ['English', 'Please use British spelling in the report.'],
  ['English', 'write ROADMAP.md with these findings before touching any code.'],
  ['English', 'NO force push anywhere in the proposed design.'],
  ['English, typed in haste', 'DON"T EDIT ANYTHING'],
  ['English', 'Change the job so it only runs on main.'],
  ['English', 'I want that it only shows the newest entry.'],
  ['English', 'Explain how it should work, and do not change anything.'],
  ['English', 'Ask me which version should be bumped.'],
  ['English', 'I want a plan before touching anything.'],
  ['Spanish', 'NO borres los archivos.'],
])('what the task requires in %s: %s', (_, sentence) =>
  expect(constraintsOf(sentence)).toEqual([{ text: sentence, is: false }]),
);

test.each([
  ['why something was done, in Spanish', 'Lo hice para evitar conflictos.'],
  ['why something was done, in French', 'Je fais ça pour éviter les conflits.'],
  ['why something was done, in Chinese', '为了避免冲突我改了名字'],
  ['what somebody has done, in Chinese', '我只改了一行'],
  ['two words that look like one, in Chinese', '文件已經正確保存了'],
  ['what it is about, in Spanish', 'Esto tiene que ver con la configuración.'],
  ['what is not needed, in Spanish', 'No tiene que ser perfecto.'],
  ['what is not needed, in Portuguese', 'Não precisa ser perfeito.'],
  ['what is not needed, in Russian', 'Это не обязательно делать.'],
  ['what that means, in Japanese', 'つまり動かないということ。'],
  ['what an idiom says, in German', 'Das darf doch nicht wahr sein!'],
  ['a condition, in German', 'Lösche ich die Datei, passiert nichts.'],
  ['what does not work, in German', 'Push funktioniert nicht mehr.'],
  ['what fails, in German', 'Commit schlägt fehl, wenn sich nichts geändert hat.'],
  ['what somebody does, in Vietnamese', 'Tôi chỉ dùng Windows thôi.'],
  ['where a fault shows, in Polish', 'Błąd występuje wyłącznie na Windows.'],
  ['what does not work, in Dutch', 'Push naar main werkt niet.'],
  ['what is prevented, in Spanish', 'El índice evita duplicados.'],
  ['what is prevented, in French', 'Ce cache évite les requêtes en double.'],
  ['what that ensures, in Portuguese', 'Isso garante que os dados ficam iguais.'],
  ['what that ensures, in Chinese', '这样能确保数据一致'],
  ['what belongs to what, in Polish', 'Ten plik należy do projektu.'],
  ['what was expected, in Russian', 'Тест должен был пройти, но упал.'],
  ['what is not needed, in Russian, of a verb', 'Это можно не менять.'],
  ['what has been done, in Korean', '이 파일만 수정했습니다.'],
  ['what has been done, in Japanese', 'この行のみ変更しました。'],
  ['what was no good, in Japanese', '本番ではダメでした。'],
  ['not only, in Chinese', '项目不仅使用A还使用B'],
  ['a heading in Japanese', '今やりたいこと'],
  ['what something does', 'It only catches that because we hand it a full copy of the upload.'],
  ['what something gets', 'In production, it only receives paginated data.'],
  [
    'what nobody knows',
    'None of the processes know what it should produce vs what it has produced.',
  ],
  ['what is looked for', 'propose locations where those modules should go'],
  [
    'what another way would cost',
    'That would require us to build a page for merging, which is heavy.',
  ],
  [
    'help that was pasted',
    'Use "entiredb auth [command] --help" for more information about a command.',
  ],
  ['a complaint in Spanish', 'El botón se ve, pero NO funciona todavía.'],
  ['a complaint in Spanish', 'NO aparece nada en la pantalla.'],
  ['what is missing', 'I see NO change after the reload'],
  ['an answer', 'NO it still does not work'],
  ['what is no more', 'NO new errors are shown now, but the page is blank.'],
  ['when something happens', 'It crashes before writing anything to disk.'],
  ['what was done', 'I did that before doing anything else and it crashed'],
  ['code that was pasted', 'use std::collections::HashMap;'],
  ['code that was pasted', 'use App\\Models\\User;'],
  ['what a program says of its keys', 'Use the arrow keys to navigate the list'],
  [
    'what a program advises',
    'Use build.rollupOptions.output.manualChunks to improve chunking: https://rollupjs.org/options/#output-manualchunks',
  ],
  ['what something is used for', 'Use cases of the page, as far as they are known:'],
])('%s: %s', (_, sentence) => expect(constraintsOf(sentence)).toEqual([]));

test('of more than there is room for, orders stand before what a design is like', () => {
  const designs = Array.from(
    { length: 14 },
    (_, at) => `- Approach ${at} merges part ${at} by itself instead of asking the user about it.`,
  );
  const orders = [
    'Use `bun` for all scripts.',
    'Do not push by force.',
    'Use relative paths only.',
  ];
  const texts = constraintsOf([...designs, ...orders].join('\n')).map(({ text }) => text);
  expect(texts).toHaveLength(12);
  expect(texts).toEqual(expect.arrayContaining(orders));
});

test('what a server has answered demands nothing', () => {
  const pasted =
    'Error: 400 {"type":"error","error":{"message":"messages.236: `tool_use` ids were found without ' +
    '`tool_result` blocks. Each `tool_use` block must have a `tool_result` block in the next message."}}';
  expect(constraintsOf(`${pasted}\nkeep the messages as they are, do not drop any`)).toEqual([
    { text: 'keep the messages as they are, do not drop any', is: false },
  ]);
});

test.each([
  ['sorry wrong chat. ignore last message. i think the design can be simpler', true],
  ['Please disregard my previous message.', true],
  ['Do not ignore the last message.', false],
  ['ignore the last message if it is empty', false],
  ['ignore the last message of the log', false],
])('what the message before required is taken back: %s', (text, isTakenBack) => {
  const items = [
    asks('Do not rename the files.'),
    tells('I will not.'),
    asks('instead of finalize call it update, no need to rename the branch'),
    tells('Understood.'),
    asks(text),
  ];
  const withdrawn = ledgerOf(items).constraints.filter((one) => one.is_withdrawn === true);
  expect(withdrawn.map((one) => one.text)).toEqual(
    isTakenBack ? ['instead of finalize call it update, no need to rename the branch'] : [],
  );
});

test('no more is taken back than what the user required in that very message', () => {
  const place = { seq: 3, last_seq: 3, by: 'user', is_standing: false } as const;
  const constraints = new Constraints([
    { ...place, of: 'parent', text: 'Do not rename the files.' },
    { ...place, text: 'Do not delete the folder.' },
    { ...place, by: 'project_instructions', is_standing: true, text: 'Never commit to main.' },
  ]);
  const before = { seq: 3, last_seq: 3, text: 'Do not delete the folder.' };
  constraints.read('Please disregard my previous message.', 'user', 5, before);
  const withdrawn = constraints.facts().filter(({ is_withdrawn }) => is_withdrawn === true);
  expect(withdrawn.map(({ text }) => text)).toEqual(['Do not delete the folder.']);
});

test.each([
  'max@web1:~$ npm i\nYou must reboot\n\nNever touch the lock file.\n\nmax@web1:~$ npm t\nYou must reboot',
  '```\nmax@web1:~$ npm i\nYou must reboot\n```\nNever touch the lock file.\n```\nmax@web1:~$ npm t\n```',
  '```\nmax@web1:~$ npm i\nYou must reboot\n```\nNever touch the lock file.',
])('what the user says between copied terminals: %s', (text) =>
  expect(constraintsOf(text)).toEqual([{ text: 'Never touch the lock file.', is: true }]),
);
