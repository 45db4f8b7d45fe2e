import { withoutAny } from '../word-patterns.ts';

/** A sentence without words that tell how things are and look as if they said how they have to be. */
export const withoutReports = withoutAny(
  // What is still so or happens again and again, what somebody sees or gets, what always fails.
  [
    // English: what something does, what nobody knows yet, and what another way would cost.
    /(?<!\b(?:so|that|want|wish|expect|prefer|like|need|if|when|once) )\b(?:it|this|they) only(?= \p{L})/u,
    /\b(?:know|knows|knew|tell me|asks|asked|(?:to|i|we|they) ask|decide|understand|propose|suggest|explain|discuss|wonder|wondering|unclear|(?:not|un)sure|figure out|locations?)\b(?: \p{L}+){0,3} (?:what|how|where|which|whether|why|who)(?: \p{L}+){1,4} should(?:n['’]t)?(?!\p{L})/u,
    /\bwould (?:\p{L}+ )?require(?!\p{L})/u,
    // German.
    /(?<!\p{L})(?:immer (?:noch(?! (?:ein)?mal)|wieder|mehr|weniger|weiter|öfter|häufiger|schlechter|größer|kleiner|länger|langsamer|schneller)|noch immer|noch nie)(?!\p{L})/u,
    /(?<!\p{L})(?:sehe|seh|sieht|lädt|bekomme|bekommt|kriege|kriegt|zeigt|kommt|kommen|steht|erscheint|erscheinen|funktioniert|läuft|passiert|war|waren) (?!bitte )(?:\p{L}+ ){0,3}nur(?: noch)?(?!\p{L})/u,
    /(?<!\p{L})(?:habe?|hat|hatte|sehe|sieht|bekomme|bekommt|kriege|kriegt|finde|findet|gab|kommt|kommen|erscheint|erscheinen|ist|sind|war|waren|steht|verstehe|gibt(?= (?:\p{L}+ ){0,3}kein(?:e|en|er|em|es)? (?!ausnahme))) (?:\p{L}+ ){0,3}kein(?:e|en|er|em|es)?(?!\p{L})(?![^.!?\n]{0,80}(?:erlaubt|zulässig|gestattet|gewünscht|vorgesehen|zu(?! (?:sehen|finden|erkennen))(?: \p{L}|nehmen|fügen|bauen)))/u,
    /(?<!\p{L})(?:wird|werden) (?:\p{L}+ ){0,3}kein(?:e|en|er|em|es)? (?:\p{L}+ ){1,3}(?:angezeigt|gefunden|geladen|erkannt|dargestellt|übernommen)(?!\p{L})/u,
    /(?<!\p{L})(?:kein problem|keine ahnung|kein(?:en)? (?:sinn|unterschied)|ohne erfolg)(?!\p{L})/u,
    // French.
    /(?<!\p{L})(?:(?:ai|as|a|avons|avez|ont|marche|fonctionne|plante|reçois|obtiens|vois|tombe) toujours|toujours (?:pas|rien|aucune?|l[ae]s? mêmes? (?:erreur|chose|problème|message|résultat|bug|exception)s?)|(?:ai|as|a|avons|avez|ont) jamais(?! le droit)|sans (?:succès|doute))(?!\p{L})/u,
    // Spanish, Portuguese and Italian.
    /(?<!\p{L})(?:siempre|sempre) (?:[mst]e |le |mi |dá |da )?(?:sale|aparece|ocurre|falla|falha|acontece|fallisce|succede|appare)(?!\p{L})/u,
    // The form of what is done is also that of what is to be done: what fails nobody asks for.
    /(?<!\p{L})(?:siempre|sempre) (?:[mst]e |le |mi )?(?:(?:devuelve|d[aá]|pasa|mostra|retorna|restituisce|lanza|lança) )?(?:(?:un|el|la|o|a|um|uma|lo|il|los|las) )?(?:(?:mism[oa]|mesm[oa]|stess[oa]) )?(?:error|erro|errore|fallo|problema|excepción|exceção|timeout|undefined|null|[45]\d\d)(?![\p{L}\d])/u,
    /(?<!\p{L})(?:siempre|sempre) [mst]e (?:pasa|devuelve|da|dá|muestra|mostra|retorna) (?:lo|el|la|o|a) (?:mism|mesm)[oa](?!\p{L})/u,
    /(?<!\p{L})(?:cada vez|toda vez|ogni volta|siempre|sempre) (?:que|che) (?:yo |eu |io |[ms]e )?\p{L}+o(?!\p{L})(?=[^.!?\n]{0,120}(?<!\p{L})(?:(?:me |se |si |ela |ele )?(?:cierra|fecha|chiude|cuelga|trava|blocca|rompe|crashea|cae)|me (?:sale|da|aparece)|error|erro|errore|fall[ao]|falha|fallisce|crash|tarda)(?!\p{L}))/u,
    /(?<!\p{L})(?:cada vez (?:más|menos|mais|mejor|peor|pior)|nunca (?:me )?(?:ha|he|había|funciona|funcionó|funcionou|termina|llega|aparece|foi)|sin (?:embargo|éxito)|sem sucesso)(?!\p{L})/u,
    /(?<!\p{L})(?:s[oó]lo|solamente|únicamente) (?:veo|(?:me|nos) (?:sale|aparece|muestra|queda|falta|responde|llega|deja)|sale|aparece|funciona|responde|tengo|tenemos|falta|queda|estamos|somos|cumpli[oó])(?!\p{L})|(?<!\p{L})(?:aparece|vejo|tem|tenho) apenas(?!\p{L})/u,
    // Dutch.
    /(?<!\p{L})(?:nog (?:altijd|nooit)|altijd nog)(?!\p{L})/u,
    // Russian and Ukrainian: what somebody does, and has done, has endings that no order has.
    /(?<!\p{L})(?:всегда|каждый раз|завжди|щоразу|кожного разу|кожен раз|никогда|ніколи)(?<!(?:чтобы?|щоб|пусть|нехай)(?!\p{L})[^.!?\n]{0,80}) (?:не )?\p{L}{2,}(?:[аяу][еёє]т?|[аяу]ют|шет|[дсрч]ит|(?:[аеия]л)[аои]?)(?:с[яь])?(?!\p{L})/u,
    // What somebody has looked at, and how it was, said without a verb: an order has one.
    /(?<=^(?:(?:я|мы|щойно|только что|уже|вже) ){0,2}(?:проверил|посмотрел|попробовал|потестил|протестировал|измерил|замерил|померил|заметил|увидел|глянул|перевіри[вл]|подиви[вл]|спробува[вл]|помі[тр]и[вл]|замі?ря[вл])[аи]?(?:с[яь])?(?!\p{L})[^.!?\n]{0,120})(?<!\p{L})(?:всегда|каждый раз|завжди|щоразу|никогда|ніколи)(?! (?:не )?\p{L}*(?:[йиь]|йте|ите|ьте|ти)(?!\p{L}))/u,
    /(?<!\p{L})(?:(?:каждый раз|щоразу|кожного разу|кожен раз),? (?:когда|коли|як) я|только что|как только|не только|если только|только сейчас)(?!\p{L})/u,
    /(?<!\p{L})(?:вижу|видно|показывает(?:ся)?|появляется|получаю|загружается|открывается|остал(?:ся|ась|ось|ись)|работает) (?:\p{L}+ )?только(?!\p{L})/u,
    // Portuguese and its neighbours: what nobody has done yet, and what goes on by itself.
    /(?<!\p{L})(?:nunca|jamais)(?: nunca)? (?:me |te |o |a |lo |la )?\p{L}{2,}(?:ei|ou|iu|aram|eram|iram|aron|ieron|amos|imos)(?!\p{L})|(?<!\p{L})(?:vai|vão|ia|iam|va|van|iba) sempre?(?!\p{L})/u,
    // What is headed as how it is, where that is told in a list.
    /(?<=^(?:fluxo atual|gargalos?|situação atual|estado atual|problemas?|causa(?: raiz)?|flujo actual|estado actual|situación actual|aktueller (?:stand|ablauf)|текущее (?:состояние|поведение)|проблема|причина|现状|現狀|问题|問題|现象|原因|現状|현재 상태|문제|원인) ?[:：][^.!?。！？\n]{0,300})(?<!\p{L})(?:sempre|siempre|nunca|immer|nie|всегда|никогда|sem|sin|apenas|somente|только|总是|總是|每次|不能|常に|毎回|항상|매번)(?!\p{L})/u,
    // The languages of the north, and Dutch.
    /(?<!\p{L})(?:har|hadde|havde|hade)(?: (?:jeg|jag|det|den|vi|han|hun|de|du))? (?:aldri|aldrig|alltid|altid)(?!\p{L})|(?<!\p{L})(?:virker|fungerer|fungerar|viser|visar|får|kommer|bliver|blir|feiler|fejler|krasjer|kraschar) (?:\p{L}+ ){0,2}(?:aldri|aldrig|alltid|altid)(?!\p{L})/u,
    /(?<!\p{L})(?:krijg|krijgt|geeft|toont|werkt|werkte|blijft|faalt|heb|heeft|hebben|was|ging|loopt) (?:\p{L}+ ){0,2}(?:altijd|nooit)(?!\p{L})|(?<!\p{L})altijd (?:\p{L}+ )?(?:dezelfde|hetzelfde|een) (?:fout|error|melding|probleem)(?!\p{L})/u,
    /(?<!\p{L})(?:elke|iedere) keer(?=[^.!?\n]{0,80}(?<!\p{L})(?:crasht|faalt|verschijnt|krijg|een (?:fout|error))(?!\p{L}))|(?<!\p{L})(?:har baar|hamesha|sirf|ab se)(?= [^.!?\n]{0,60}(?:raha|rahi|rahe|aata|aati|hota|hoti)(?!\p{L}))/u,
    // Polish: what somebody does or did.
    /(?<!\p{L})(?:zawsze|za każdym razem) (?:się |mi |mam |jest |są |było |był |była )?(?:pokazuje|wyskakuje|zwraca|pojawia|kończy|dostaję|wywala|działa\p{L}*|ten sam|to samo|mam|jest|był[aoi]?|błąd)(?!\p{L})|(?<!\p{L})nigdy (?:\p{L}+ )?nie (?:\p{L}+ )?\p{L}+(?:ał|ił|ył|ała|iła|yła|ało|iło|yło|ałem|iłem|ałam|iłam|działa)(?!\p{L})/u,
    // Turkish: what goes on or went on has endings that no order has.
    /(?<!\p{L})(?:her zaman|her seferinde|daima|asla|sadece|yalnızca)(?= (?:\S{1,30} ){0,6}\p{L}+(?:[ıiuü]yor(?:du|um|sun|uz|lar)?|m[ıiuü]yor\p{L}*|m[ıiuü]ş(?:t[ıiuü])?|(?:d|t)[ıiuü](?:m|k)?)(?=[.!,;…]|$))/u,
    // Indonesian.
    /(?<!\p{L})selalu (?:\p{L}+ )?(?:gagal|error|muncul|kembali|balik|hilang|keluar|tampil|sama|minta|timeout|crash|kosong|loading)(?!\p{L})|(?<!\p{L})(?:muncul|tampil|bisa|ada|berubah|terjadi|keluar|jalan|yg berubah|yang berubah) (?:\p{L}+ )?hanya(?!\p{L})/u,
    // Arabic and Hindi: what does not work, and what always goes on.
    /(?<!\p{L})لا ت(?:عمل|ظهر|وجد|فتح|ستجيب|تغير|زال|كفي|صل|دعم|تحدث|شتغل|ستطيع)(?!\p{L})|(?:^|\s)(?:هل )?[يت](?:ظهر|عطي|فشل|رجع|توقف|علق|طلع|حدث) (?:\p{L}+ ){0,4}(?:دائم(?:ا|ً)|دايما|كل مرة|فقط)|(?:دائم(?:ا|ً){1,2}|دايما|كل مرة) (?:ما )?[يت](?:ظهر|عطي|فشل|رجع|توقف|علق|طلع|حدث|كون)/u,
    /(?:हमेशा|हर बार|केवल|सिर्फ)(?= [^।.!?\n]{0,80}(?:रहा|रही|रहे|आता|आती|होता|होती|दिखता|दिखाता|देता|जाता|गया|गई|था|थी) ?(?:है|हैं|था|थी)?(?:[।.!]|$))/u,
    // Where a fault shows, and only there.
    /(?<!\p{L})(?:tritt|treten|passiert|geschieht|produi(?:t|sent)|arrive|apparaît|ocurre|aparece|sucede|falla|falha|acontece|ocorre|succede|возникает|появляется|падает|воспроизводится|występuje|treedt) (?:\p{L}+ ){0,2}(?:nur|ausschließlich|uniquement|seulement|únicamente|solamente|s[oó]lo|apenas|somente|только|исключительно|лишь|wyłącznie|tylko|uitsluitend|alleen)(?!\p{L})/u,
    // Korean, Japanese and Chinese.
    /(?:항상|매번|언제나|무조건)(?:(?!야 |야만|세요|십시오|말|좋|바랍|바라|부탁|원해|원합|주시|면 (?:됩|되|돼)|도 (?:됩|되|돼)|필요)[^.!?\n]){0,60}?(?:나요|네요|어요|아요|습니다|납니다|됩니다|는데|거든요|떠요|(?:발생|실패)(?:합니다|해요|하네요))(?!\p{L})/u,
    /해야 ?(?:할지|할까|하나|하는지|될지|(?:하는|되는) ?(?:거|건|것)(?:야|지|가|가요|죠|예요|에요|인가)?(?!\p{L}))/u,
    /必ずしも|今後(?:どの(?![^。、！!？?\n]{1,10}も(?!ら))|どう|何(?![かも])|の(?:ため|参考|課題|予定|展開|計画|展望|可能性))|今後とも(?:、?(?:どうぞ)?(?:よろしく|宜しく))|(?:毎回|常に)(?:同じ(?:エラー|問題|結果|症状|ところで)|エラー(?:が(?:出|発生|起)|にな|です|だ)|失敗(?:する|します|しています|している)(?:$|[。！!])|落ち(?:る|ます|ている)(?:$|[。！!]))/u,
    /永[远遠]不[会會](?!再)|(?:所以|因此|因而|于是|目前|[现現]在)(?:就|都)?只能|以[后後](?:[会會]|可能|再[说說看]|有[^。，,！!？?\n]{1,8}再(?:更?改|[说說看]|做|弄|[处處]理|[调調]整)|我(?![^。！!？?\n]{0,60}[你您请請]))|不能(?:点[击擊]?|點擊|打[开開]|[显顯]示|登[录錄入]|[访訪][问問]|[连連]接|聊天|播放|加[载載]|[运運]行|启动|保存|下[载載]|上[传傳]|添加好友|[设設]置|[选選][择擇中])(?=$|[了吧，,。！!\s])|不能[^。，,！!？?\n]{0,20}(?:是什[么麼]|的|啥)原因|(?:[为為]啥|[为為]什[么麼]|怎[么麼]|咋|是否)[^。，,！!？?\n]{0,12}(?:不能|不可以|不要|必[须須]|只能)|(?:[还還]是|仍然?|依然|了[ ，,]{0,2}但是?)不能|不能(?:正常|用了)|能不能|[没沒]有[^。，,！!？?\n]{1,12}[，,]也不能/u,
    /(?:(?:[总總]是|始[终終])[^。，,！!？?\n]{0,12}?|每次[^。，,！!？?\n]{0,10}?[都就又][^。，,！!？?\n]{0,6}?)(?:[报報][错錯]|失[败敗]|出[错錯]|崩[溃潰]|卡住|超[时時])(?!都?(?:要|就|必|需|[请請])|[后後时時的就])/u,
  ],
);
