/**
 * Words of rules in other languages where they tell how things are: what is still so or happens again and
 * again, what somebody sees or gets, what always fails.
 */
const REPORTS = new RegExp(
  [
    // German.
    /(?<!\p{L})(?:immer (?:noch|wieder|mehr|weniger|weiter|öfter|häufiger|schlechter|größer|kleiner|länger|langsamer|schneller)|noch immer|noch nie|wie immer)(?!\p{L})/u,
    /(?<!\p{L})(?:sehe|seh|sieht|lädt|bekomme|bekommt|kriege|kriegt|zeigt|kommt|kommen|steht|erscheint|erscheinen|funktioniert|läuft|passiert|war|waren) (?:\p{L}+ ){0,3}nur(?: noch)?(?!\p{L})/u,
    /(?<!\p{L})(?:habe?|hat|hatte|sehe|sieht|bekomme|bekommt|kriege|kriegt|finde|findet|gibt|gab|kommt|kommen|erscheint|erscheinen|ist|sind|war|waren|macht|steht|verstehe) (?:\p{L}+ ){0,3}kein(?:e|en|er|em|es)?(?!\p{L})(?![^.!?\n]{0,80}(?:erlaubt|zulässig|gestattet|gewünscht|vorgesehen))/u,
    /(?<!\p{L})(?:wird|werden) (?:\p{L}+ ){0,3}kein(?:e|en|er|em|es)? (?:\p{L}+ ){1,3}(?:angezeigt|gefunden|geladen|erkannt|dargestellt|übernommen)(?!\p{L})/u,
    /(?<!\p{L})(?:kein problem|keine ahnung|ohne erfolg)(?!\p{L})/u,
    // French.
    /(?<!\p{L})(?:(?:ai|as|a|avons|avez|ont|marche|fonctionne|plante|reçois|obtiens|vois|tombe) toujours|toujours (?:pas|rien|aucune?|la? même|les mêmes)|(?:ai|as|a|avons|avez|ont) jamais|sans (?:succès|doute))(?!\p{L})/u,
    // Spanish, Portuguese and Italian.
    /(?<!\p{L})(?:siempre|sempre) (?:[mst]e |le )?(?:sale|aparece|ocurre|pasa|falla|devuelve|da|dá|mostra|falha|acontece|retorna|fallisce|succede|appare|lo mismo|el mismo|la misma|o mesmo|a mesma|lo stesso|la stessa)(?!\p{L})/u,
    /(?<!\p{L})(?:cada vez|toda vez|ogni volta|siempre|sempre) (?:que|che) (?:yo |eu |io |[ms]e )?(?!(?:digo|pido|escribo|mando|envío|peço|escrevo|falo|envio|chiedo|dico|scrivo|algo|todo|uno|esto|eso|isso|isto|tudo|nuestro|nosso|nuovo)(?!\p{L}))\p{L}+o(?!\p{L})/u,
    /(?<!\p{L})(?:com[oe] (?:siempre|sempre)|cada vez (?:más|menos|mais|mejor|peor|pior)|nunca (?:me )?(?:ha|he|había|funciona|funcionó|funcionou|termina|llega|carga|carrega|aparece|foi)|sin (?:embargo|éxito)|sem sucesso)(?!\p{L})/u,
    /(?<!\p{L})(?:s[oó]lo|solamente|únicamente) (?:veo|me|sale|aparece|muestra|funciona|carga|tengo|falta|queda)(?!\p{L})|(?<!\p{L})(?:aparece|mostra|vejo|tem|tenho|carrega) apenas(?!\p{L})/u,
    // Dutch.
    /(?<!\p{L})(?:nog (?:altijd|nooit)|altijd nog)(?!\p{L})/u,
    // Russian and Ukrainian: what somebody does, and has done, has endings that no order has.
    /(?<!\p{L})(?:всегда|каждый раз|завжди|щоразу|никогда|ніколи) (?:не )?\p{L}{2,}(?:[аяу][еє]т?|[аяу]ют|шет|[дсрч]ит|(?:[аеия]л)[аои]?)(?:с[яь])?(?!\p{L})/u,
    /(?<!\p{L})(?:как всегда|каждый раз,? когда я|только что|как только|не только|если только|только сейчас)(?!\p{L})/u,
    /(?<!\p{L})(?:вижу|видно|показывает(?:ся)?|появляется|получаю|загружается|открывается|остал(?:ся|ась|ось|ись)|работает) (?:\p{L}+ )?только(?!\p{L})/u,
    // Korean, Japanese and Chinese.
    /(?:항상|매번)(?:(?!야 |세요|십시오|말|좋겠|바랍|바라|부탁|원해|원합|주시)[^.!?\n]){0,60}?(?:나요|네요|어요|아요|습니다|납니다|됩니다|는데|거든요|떠요)(?!\p{L})/u,
    /해야 (?:할지|할까|하나|하는지|될지)/u,
    /必ずしも|今後とも|(?:毎回|常に)(?:同じ|エラー|失敗|落ち)/u,
    /以[后後](?:[会會]|可能|再[说說看])|(?:[还還]是|仍然?|依然)不能|不能(?:正常|用(?=$|[了的。，,！!]))/u,
    /(?:[总總]是|每次|始[终終])[^。，,！!？?\n]{0,12}?(?:[报報][错錯]|失[败敗]|出[错錯]|崩[溃潰]|卡住|超[时時])(?!都?(?:要|就|必|需|[请請]))/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'giu',
);

/** A sentence without words that tell how things are and look as if they said how they have to be. */
export function withoutReports(sentence: string): string {
  return sentence.replace(REPORTS, ' ');
}
