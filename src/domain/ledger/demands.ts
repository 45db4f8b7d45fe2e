import { anyOf } from '../word-patterns.ts';

/** Words that say what has to be so, if only for the task at hand, in the languages that people write to agents in. */
export const demands = anyOf([
  /\b(?:must(?:n['’]t)?|do(?:n['’]t| not)|should(?:n['’]t)?|(?<!-)only(?!-)|make sure|ensure|avoid|(?<![-.])require(?![-(]|\.\w)|required(?! (?!for|to|by|in|on|when|if|at|due|and|or)[a-z])|needs? to|have to|without|no longer|instead of|please (?:avoid|keep))\b/i,
  // Typed in haste; in French `dont` is another word, and opens no sentence.
  /(?:^|\b(?:and|but|or|so|then|also|please|pls|plz) )dont [a-z]{2}|\bdon["´`]t [a-z]{2}/i,
  // What is to be used, and what comes first; neither code, nor what programs say of keys and pages for help.
  /(?:^|[.;:!] |\bplease )(?:(?:please|also|then|and|let['’]?s),? ){0,2}use (?!(?:cases?|of|it|this|that|them|these|those|whatever|whichever)\b|(?:the )?(?:arrow|tab|ctrl|cmd|shift|space|enter)\b|[\w$]{1,60}(?:::|\\))(?![^.\n]{0,120}\bfor (?:more|further|additional) )(?![^\n]{0,200}: https?:\/\/)/i,
  /^(?!(?:it|this|that|they|he|she|the|(?:i|we)(?! (?:want|need)\b))\b)[^\n]{0,200}\bbefore (?:touching|changing|editing|modifying|writing|doing|implementing) any(?:thing)?\b/i,
  /\b(?:muss|musst|müssen|soll(?:st|te|en)?|darf(?:st)? nicht|kein(?:e|en|er)?|ohne|nur|bitte(?=[^.!?\n]{0,120} (?:nicht|nichts|nie|kein))|doit|ne pas|sans|seulement|debe|no (?:uses|hagas|modifiques|cambies|borres|elimines|crees|toques|puedes|debes)|solo|(?<!\b(?:sigo|sigue[ns]?|seguimos) )sin|deve|senza|somente|apenas|(?<!\bcontinu(?:a|am|o) )sem|não (?:pode|deve|faça|use|altere|crie|mova|exclua|apague|implemente|execute|aplique|modifique|mude|remova|instale|mexa)|moet|zonder)(?!\p{L})/iu,
  /必须|必須|不要|不能|不得|不准|不[许許]|禁止|[请請](?:用|勿|不)|只(?:能|用)|してはいけない|しないで|[てで]ください|해야|지 ?(?:마(?!다)|말(?=[고아라것]))|должн|нельзя|не надо|только/i,
  // Do not, in languages that say so by the form of the verb or where it stands.
  /(?:^|[，,。；;！!、\s]|[请請先就也]|千万|千萬)[别別](?![人的名处處样樣致扭])/,
  /(?<!\p{L})(?:не \p{L}{2,}(?:[аяую]й(?:те|ся|тесь)?|[шжчщдс]и(?:те|сь|тесь)?)|nie \p{L}{2,}[auiy]j(?:cie)?)(?!\p{L})/iu,
  /(?:^|[.:!] |surtout,? |[,;] (?!n(?:e |['’])(?:fonctionn|march|charg|démarr|affich|trouv|compil|pass|sais|suis)\p{L}* )(?=n(?:e |['’])\p{L}*[esz] ))n(?:e |['’])\p{L}+ (?:donc |surtout |absolument )?(?:pas|rien|plus)(?!\p{L})/iu,
  // What had been asked for before: in Spanish the form of the verb says so, which tells nothing of what is.
  /(?<!\p{L})(?:(?<!never )(?:told|asked|telling|asking) you (?:\w{2,10} ){0,3}not to|(?:dije|pedí|digo|dicho|pedido) que no (?:(?:me|te|se|nos|los?|las?|les?) ){0,2}(?!(?:tien|pued|er|est[aá]|sab|ha|ve|entiend)[ae]?s(?!\p{L}))\p{L}{2,}(?:[ae]|[ai]e?r[ae])s|(?:dije|pedí|digo|dicho|pedido) que no (?:(?:me|te|se|nos|los?|las?|les?) ){0,2}\p{L}{2,}(?:ar|ier)an?|(?:disse|pedi|falei|dito) (?:para|pra) não(?! me(?!\p{L}))|(?:detto|chiesto|dico|chiedo) di non(?! \p{L}+[mc]i(?!\p{L})))(?!\p{L})/iu,
  /(?<!\p{L})(?:يجب|لا ت\p{L}{2,}|بدون|فقط|نباید|باید|אסור|חייב\p{L}*|בלי|רק|मत|केवल|बिना|ज़रूरी|जरूरी|musi\p{L}*|bez|tylko|sadece|jangan|harus|tanpa|không được|đừng|phải)(?!\p{L})/iu,
  // Make sure, avoid, only, and what is not to be done: the same in other languages.
  /(?<!\p{L})(?:stelle?(?: (?:bitte|auch|dabei|unbedingt))? sicher|achte(?: (?:bitte|auch|dabei|unbedingt))? (?:darauf|auf)|(?<!ich )vermeide|ausschließlich|(?<!nicht )unbedingt|lass die finger von|(?:darf(?:st)?|dürf(?:en|t))(?! doch nicht wahr)(?= [^.!?\n]{0,60}(?:nicht|nichts|nur|nie)(?!\p{L})))(?!\p{L})/iu,
  /^(?:bitte )?(?:(?:änder|fass|lösch|mach|verwend|benutz|nutz|rühr|schreib|entfern|verschieb|committ?|push|installier|erstell|überschreib|bearbeit|führ|deploy|merg|ersetz|lass|füg|vergiss)e?) (?!ich |(?:[^ ]{1,30} ){0,3}(?:funktionier\p{L}*|geht|ging|klappte?|läuft|lief|wird|wurde|ist|war|hat|kommt|kam|tut|macht|schlägt|scheitert|bricht|enthält|fehlt|zeigt|findet|wirft|startet|ändert|kann)(?!\p{L}))(?:[^!?\n]{0,120} )?(?:nicht|nichts)(?!\p{L})/iu,
  /(?<!\p{L})(?:aseg[uú]r(?:a(?:te)?|e(?:se)?) (?:de )?que|únicamente|solamente|(?<!no )tiene[ns]? que(?! ver)|hay que|no (?:olvides|quiero que|añadas|agregues|instales|muevas|ejecutes|subas|escribas|pongas|quites|inventes|rompas|asumas|generes|incluyas|utilices))(?!\p{L})/iu,
  /(?<!\p{L})(?:garanta(?:m)? que|certifique-se|assegure|(?<!não )(?:tem|têm) (?:que|de) (?!ver)\p{L}+r|(?<!não )precisam? (?:ser|estar|ter|funcionar)|não (?:toque|esqueça|quero que|adicione|invente|quebre|gere|inclua|escreva|suba|commite))(?!\p{L})/iu,
  /(?<!\p{L})(?:должен(?! был)|должна(?! была)|(?:нужно|надо|необходимо), чтобы|убеди(?:сь|тесь)|избегай(?:те)?|(?<!не )обязательно|исключительно|(?<!не )(?:тільки(?! що)|лише)|повинн\p{L}+|(?<!можно |решил[аи]? |могу )не (?:трогать|менять|изменять|удалять|использовать|добавлять|создавать|переименовывать|коммитить|пушить|ломать|забудь(?:те)?))(?!\p{L})/iu,
  /(?<!\p{L})(?:assure(?:z)?-(?:toi|vous)|uniquement|il faut que|veille[rz]? à|n['’]oublie[rz]? pas|assicurati|bisogna|devono|upewnij się|unikaj|wyłącznie|należy(?! do)|zorg (?:er ?voor|dat)|vermijd|uitsluitend|pastikan|hindari|(?<!(?:tôi|mình|em|nó) )chỉ (?:dùng|sử dụng|sửa)|(?<!(?:để|này|đó|sẽ|đã) )đảm bảo|emin ol|mutlaka|yalnızca|se till att|undvik|تأكد|تجنب|सिर्फ|सुनिश्चित)(?!\p{L})/iu,
  // The form of what is to be avoided is also that of what avoids it: a demand opens its clause, or follows who demands.
  /(?:^|[.,;:!] (?:por favor,? )?|(?<!\p{L})(?:y|e|et|pero|mas|ma|mais|además|también|também|debes?|deve|deben|hay que|quiero|queremos|intenta|procura|trata de|tente|bisogna|il faut|por favor|please) )(?:evit[ae](?:re?|d|te)?|évite[rz]?|garante(?:m)? que)(?!\p{L})/iu,
  /(?:^|[.,;:!] )(?:e |ma |ti prego )?non \p{L}+(?:are|ere|ire)(?!\p{L})/iu,
  /^(?:verander|wijzig|raak|verwijder|gebruik|maak|voeg|pas|schrijf|push|commit|installeer) (?!ik |(?:[^ ]{1,30} ){0,3}(?:werkt|werkte|lukt|lukte|gaat|ging|doet|is|was|wordt|werd|heeft|komt)(?!\p{L}))(?:[^.!?\n]{0,120} )?(?:niet|niets|geen)(?!\p{L})/iu,
  /만 (?:사용|써|쓰|이용|수정|변경|고쳐|바꿔|바꾸)(?! ?(?:했|하였|하고 있|하는 중|됐|되었|봤|고 있))|면 안 ?[돼되된됩]|지 않도록(?! ?(?:했|하였|처리했|수정했))|(?:^|\s)꼭 (?!그런|그렇|필요)|ないで(?:$|[。！!ねよ])|(?:する|しない|使う|使わない|含める|含めない|変えない)こと[。．.]?$|(?:ては|では)(?:いけ|なら|(?:ダメ|だめ)(?!でした|だった))|のみ(?:使|利用|変更|修正)(?!した|しました|してい|され)/,
  /(?<![我不])只(?:使用|修改|改|允[许許])(?!了)|(?<!不)[仅僅](?:限|使用|用|修改)(?![了于於作])|(?<![以来來而正准準明精能够夠了])[确確]保(?!存)|(?:^|[请請要应應该該需]|[尽盡]量|[务務]必)避免/,
]);
