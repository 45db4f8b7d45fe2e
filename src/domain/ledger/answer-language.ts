import { anyOf } from '../word-patterns.ts';

const ENGLISH_NAMES =
  '(?:english|german|french|spanish|portuguese|italian|dutch|russian|ukrainian|polish|czech|turkish|arabic|persian|hebrew|hindi|bengali|urdu|chinese|mandarin|japanese|korean|indonesian|vietnamese|thai|swedish|danish|norwegian|finnish|greek|hungarian|romanian)';

/**
 * Whether a sentence says in which language the user wants to be answered, which holds until another is asked
 * for. A word for answering is needed: what is only to be written in a language is a task.
 */
export const saysAnswerLanguage = anyOf([
  new RegExp(
    String.raw`(?:^|[.,;:!] |(?<!\p{L})(?:please|and|but|so|also) )(?:(?:keep|continue|have|hold|write|give)(?: me)? (?:our|this|your|all)(?: [a-z]{2,12})? (?:chats?|conversations?|discussions?|answers?|repl(?:y|ies)|responses?|explanations?) in|let(?:['’]s| us) (?:speak|talk|chat|continue)(?: in)?) ${ENGLISH_NAMES}(?!\p{L})`,
  ),
  new RegExp(
    String.raw`(?:^|[.,;:!] |(?<!\p{L})(?:please|only|also|so|now|(?<!\b(?:users?|customers?|clients?|people|bot|chatbot|assistant|agent|model|app|system|server|service)\b[^.!?\n]{0,120})and) )(?:only )?(?:answer|reply|respond|talk|speak)(?: back)?(?: (?:to )?(?:me|us))?(?: [a-z]{2,12}){0,3} in (?:\p{L}{2,12} )?${ENGLISH_NAMES}(?!\p{L})`,
  ),
  /(?:(?:^|[.,;:!] |(?<!\p{L})(?:bitte|nur) )(?:antworte[nt]?|sprich|sprechen sie|rede)|(?<!\p{L})und (?:antworte|sprich|rede))(?: \p{L}{2,12}){0,4} (?:auf )?(?:deutsch|englisch|französisch|spanisch|italienisch|polnisch|russisch|türkisch|niederländisch)(?!\p{L})/u,
  /(?:(?:^|[.,;:!¡] ?|(?<!\p{L})(?:por favor,?|s[oó]lo|únicamente|ahora|debes|que) )(?:me )?(?:respond[ae]|contesta|habla)|(?<!\p{L})(?:resp[oó]nde|cont[eé]sta|h[aá]bla)(?:me|nos))(?: \p{L}{2,12}){0,4} en (?:español|castellano|inglés|francés|portugués|alemán|italiano|catalán)(?!\p{L})/u,
  /(?:(?:^|[.,;:!] |(?<!\p{L})(?:por favor,?|só|apenas|agora|deve) )(?:me )?(?:responde|fala)|(?<!\p{L})(?:responda|fale|(?:respond|fal)[ae]-me))(?: \p{L}{2,12}){0,4} em (?:português|portugues|inglês|ingles|espanhol|pt)(?!\p{L})/u,
  /(?:(?<!\p{L})(?:réponds|répondez|parlez)|(?:^|[.,;:!] )parle)(?:[- ](?:moi|nous))?(?: \p{L}{2,12}){0,4} en (?:français|anglais|allemand|espagnol|italien)(?!\p{L})/u,
  /(?:(?<!\p{L})(?:rispondi(?:mi)?|parlami)|(?:^|[.,;:!] )parla)(?: \p{L}{2,12}){0,4} in (?:italiano|inglese|francese|tedesco|spagnolo)(?!\p{L})/u,
  /(?<!\p{L})(?:отвечай|ответь|говори|общайся|пиши мне|відповідай|спілкуйся|пиши мені)(?:те)?(?: \S{1,20}){0,4} (?:(?:по|на) ?-?(?:русск|английск|украинск|немецк|українськ|російськ|англійськ)\p{L}+|(?:українською|російською|англійською))(?!\p{L})/u,
  /(?<!\p{L})(?:(?:по|на) ?-?(?:русск|английск|украинск)\p{L}+|українською|англійською) (?:\S{1,20} ){0,2}(?:отвечай|ответь|говори|общайся|пиши мне|відповідай|спілкуйся)(?:те)?(?!\p{L})/u,
  /(?<!\p{L})(?:odpowiadaj|odpowiedz|mów|pisz do mnie)(?:cie)?(?: \S{1,20}){0,4} po (?:polsku|angielsku|niemiecku|rosyjsku|ukraińsku)(?!\p{L})/u,
  /(?:^|[.,;:!] |(?<!\p{L})(?:en|graag|alsjeblieft) )(?:antwoord|praat|spreek)(?: \p{L}{2,12}){0,4} in het (?:nederlands|engels|duits|frans)(?!\p{L})/u,
  /(?:^|[.,;:!] |(?<!\p{L})(?:og|och|kun|bara|bare) )(?:svara?|prata|snakke?|tal)(?: \p{L}{2,12}){0,4} på (?:svenska|dansk|norsk|bokmål|nynorsk|engelska?)(?!\p{L})/u,
  /(?<!\p{L})(?:türkçe|ingilizce|almanca)(?: olarak)? (?:\p{L}{2,12} ){0,2}(?:(?:cevap|yanıt) ver|cevapla|yanıtla|konuş|anlat)(?:[ıiuü]n(?:[ıiuü]z)?|elim|alım)?(?=[.!,;]|$)/u,
  /(?<!\p{L})(?:jawab(?:lah)?|balas|bicara(?:lah)?|respon)(?: \p{L}{2,12}){0,4} (?:bahasa )(?:indonesia|inggris|melayu|jawa)(?!\p{L})/u,
  /(?<!\p{L})(?:trả lời|phản hồi|nói chuyện)(?: \p{L}{1,12}){0,4} tiếng (?:việt|anh)(?!\p{L})/u,
  /(?<!\p{L})(?:أجب|اجب|أجبني|جاوب|جاوبني|رد|ردي|تكلم|تحدث|كلمني)(?: \p{L}{1,12}){0,4} (?:باللغة )?(?:بال|ال)?(?:عربية|عربي|إنجليزية|انجليزية|إنجليزي|انجليزي)(?!\p{L})/u,
  /(?:हिंदी|हिन्दी|अंग्रेज़ी|अंग्रेजी) (?:में|मे) (?:ही )?(?:जवाब|उत्तर|बात|बोलो|बोलिए|बताओ|बताइए|समझाओ)/u,
  /(?<!\p{L})(?:hindi|english|hinglish) (?:mein|me|main) (?:hi )?(?:jawab|answer|reply|bat|baat|bolo|batao|samjhao)(?!\p{L})/u,
  /(?:(?:^|[，,。；;！!：:\s])[你您]?|[请請都只下始要再]|必[须須]|一律|全程|[后後来來]|[统統]一|[尽盡]量|[务務]必)用(?:[简簡繁正][体體])?(?:中文|英文|英[语語]|日[语語文]|[韩韓][语語文]|粤[语語]|普通[话話])[^。，,！!？?\n名字不]{0,6}(?:回[答复覆應应]|答[复覆]|交流|[沟溝]通|[对對][话話]|跟我[说說]|和我[说說])|(?:^|[，,。；;！! ])(?:[简簡繁正][体體])?(?:中文|英文)(?:回[答复覆]|交流)|(?:回[答复覆]|答[复覆])[^。，,！!？?\n又怎没沒]{0,6}用(?:[简簡繁正][体體])?(?:中文|英文|英[语語]|日[语語文])/,
  /(?:日本|英|中国|韓国)語で(?:お願い|[^。！？\n]{0,12}(?:回答|返答|返事|答え|応答|返し|話し|会話|説明)[^。！？\n]{0,10}(?:て(?:ください|下さい|ほしい|欲しい|くれ(?![なたまて])|ね|$|[。！])|お願い|こと(?:$|[。！])))/,
  /(?:한국어|한글|영어|일본어|우리말)로(?:만)? ?(?:\S{1,10} ){0,2}(?:답변?|대답|응답|대화|말|설명|얘기)(?:을|를)? ?(?:부탁|해 ?(?:줘|주세요|주십시오|줄래|라)|하(?:세요|십시오|자|라|도록))/,
]);
