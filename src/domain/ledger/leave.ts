import { anyOf } from '../word-patterns.ts';

/** Words that keep something for the user to allow, in the languages that people write to agents in. */
const asksLeave = anyOf([
  /\bwithout (?:(?:my|our|me|first|explicit|prior|express) ){1,3}(?:permission|approval|consent|authori[sz]ation|confirmation|confirming|approving|agreement|say-so|go-ahead|ok(?:ay)?)\b/i,
  /\bwithout (?:first )?(?:asking|consulting|telling|checking with|confirming with) (?:me|us|first)\b|\b(?:unless|until) (?:i|we) (?:explicitly |have )?(?:say|said|ask|asked|tell|told|request|approve|approved|confirm|confirmed|allow|allowed)\b/i,
  /(?<!\p{L})(?:ohne (?:(?:meine|unsere|vorherige|ausdrückliche) ){0,2}(?:rückfrage|erlaubnis|zustimmung|freigabe|genehmigung|bestätigung)|ohne (?:mich )?(?:vorher )?zu fragen)(?!\p{L})/iu,
  /(?<!\p{L})(?:sem (?:a )?minha (?:\p{L}+ )?(?:autorização|permissão|aprovação|confirmação)|sin mi (?:\p{L}+ )?(?:autorización|permiso|aprobación|confirmación)|sans (?:ma|mon) (?:\p{L}+ )?(?:autorisation|permission|accord|approbation|confirmation)|sans me (?:le )?demander|senza (?:la mia|il mio) (?:\p{L}+ )?(?:autorizzazione|permesso|approvazione|consenso|conferma)|zonder mijn (?:\p{L}+ )?(?:toestemming|goedkeuring|akkoord))(?!\p{L})/iu,
  /(?<!\p{L})без (?:моего|моей|нашего) (?:\p{L}+ )?(?:разрешения|согласия|одобрения|подтверждения|ведома)(?!\p{L})/iu,
  /(?<!\p{L})(?:sem (?:me )?(?:perguntar|consultar|avisar)|sin (?:preguntar|consultar|avisar)(?:me|nos)?|без (?:спроса|мо(?:го|єї) (?:\p{L}+ )?(?:дозволу|згоди|підтвердження)|спросу)|bez (?:mojej|mojego|naszej) (?:\p{L}+ )?(?:zgody|pozwolenia|potwierdzenia|akceptacji)|bez pytania|zonder (?:eerst )?te vragen|ut(?:an|en) (?:mitt?|att fråga|å spørre)|uden (?:mit?|min|at spørge)|tanpa (?:izin|ijin|persetujuan|konfirmasi)|بدون (?:إذني|اذني|موافقتي|إذن مني|الرجوع (?:إلي|لي)))(?!\p{L})|(?:मुझसे|मेरी) (?:\S{1,12} )?(?:बिना )?(?:पूछे|अनुमति)/u,
  /未[经經](?:我|允[许許]|[许許]可|同意|授[权權]|批准|[确確][认認])|[没沒]有我的(?:允[许許]|[许許]可|同意|授[权權]|批准|[确確][认認])|(?:許可|承認|確認)な(?:く|し)|(?:허락|허가|승인|동의) ?없이/,
]);
/** The same where the user is to be asked first, or to look first. */
const asksFirst = anyOf([
  /\b(?:ask|consult|check (?:\w+ )?with|confirm (?:\w+ )?with) (?:me|us)\b(?:[^.!?;\n]{0,60}\b(?:before|prior to)\b| first\b)/i,
  /^(?:please |always |but |just |and ){0,2}ask (?:for (?:permission|approval|confirmation) )?(?:first )?before (?:you|any|each|every|[a-z]+ing)\b/i,
  /\b(?:get|wait for|obtain|ask for|request) (?:my|our) (?:explicit )?(?:approval|permission|ok(?:ay)?|confirmation|go-ahead|consent|sign-?off)\b[^.!?;\n]{0,60}\b(?:before|first)\b/i,
  /\blet (?:me|us) (?:review|approve|confirm|check|see|look)\b[^.!?;\n]{0,60}\bbefore you\b/i,
  /(?<!\p{L})(?:frage? (?:mich|uns|bitte|erst|immer|vorher)(?:,? (?:mich|uns|bitte|erst|immer|vorher)){0,3}(?:,? bevor|,? ehe(?= du)|(?<= (?:vorher|erst))(?!\p{L}))|(?:preg[uú]nta(?:me|nos)|cons[uú]lta(?:me|nos)|p[ií]deme (?:permiso|confirmación)) (?:siempre )?(?:antes|primero)|(?:me|nos) (?:pergunte|consulte|pergunta) (?:sempre )?(?:antes|primeiro)|demande(?:z)?-(?:moi|nous) (?:toujours )?(?:avant|d['’]abord|la permission)|chiedimi (?:sempre )?prima)(?!\p{L})/iu,
  /(?<!\p{L})(?:спроси(?:те)?|спрашивай(?:те)?|согласуй(?:те)?|посоветуй(?:ся|тесь)) (?:(?:сначала|всегда|у|со) )?(?:меня|мной|нас|нами) (?:перед|прежде|сначала|до)(?!\p{L})|(?<!\p{L})(?:перед|сначала) [^.!?;\n]{0,60}(?:спроси|спрашивай|согласуй)(?:те)? (?:(?:у|со) )?(?:меня|мной)(?!\p{L})/iu,
  /(?<!\p{L})(?:спитай|запитай|узгодь)(?:те)? (?:(?:спочатку|завжди|у|зі) )?(?:мене|мною)(?!\p{L})|(?<!\p{L})(?:zapytaj|pytaj|spytaj)(?:cie)? (?:mnie )?(?:najpierw|zanim|przed|o zgodę)(?!\p{L})|(?<!\p{L})najpierw (?:mnie )?(?:zapytaj|spytaj)(?!\p{L})|(?<!\p{L})vraag (?:het )?(?:(?:me|mij|ons|altijd) ){0,2}(?:eerst|voordat)(?!\p{L})|(?<!\p{L})(?:fråga|spørg|spør) (?:(?:mig|meg|alltid|altid) ){0,2}(?:först|først|innan|inden|før)(?!\p{L})|(?<!\p{L})tanya (?:(?:saya|aku) )?(?:dulu|sebelum)(?!\p{L})|(?<!\p{L})(?:اسألني|إسألني|شاورني|استأذني) (?:\S{1,12} )?(?:قبل|أولا|الأول)|(?<!\p{L})قبل [^.!?؟\n]{0,40}(?:اسألني|إسألني|شاورني)|पहले (?:मुझसे|मुझे) (?:पूछ|बता)|(?<!\p{L})pehle (?:mujhse|mujhe) (?:pooch|puch)\p{L}*/u,
  /(?<!\p{L})(?:önce bana sor|(?:bana (?:sormadan|danışmadan|haber vermeden)|(?:iznim|onayım) olmadan|onay(?:ımı)? almadan)(?![^.!?\n]{0,80}(?:d[ıiuü]|t[ıiuü])n(?!\p{L})))/u,
  /我(?!的)[^。，,！!？?\n]{0,6}(?:同意|[确確][认認]|批准|[点點][头頭])(?:了|[之以]?[后後])?(?:再|才)(?:能|可以|做|改|[动動]|[执執]行|提交|部署)|等我(?:同意|[确確][认認]|批准|回[复覆])/u,
  /(?:先|之前|[做改动動][^。！!？?\n]{0,8}前)[^。！!？?\n]{0,6}(?:[问問]|[询詢][问問]|[征徵](?:求|得)|[经經][过過])(?:一下|[过過])?我|(?:前に|事前に|まず|必ず)[^。！？\n]{0,8}(?:私|僕|俺)に(?:確認|聞|相談|許可)|(?:전에|먼저)[^.!?\n]{0,10}(?:나한테|나에게|저한테|저에게|내게|제게)[^.!?\n]{0,8}(?:물어|확인|허락|승인)/u,
]);
const NEGATES =
  /\b(?:not|never|no|nicht|keine?[mnrs]?|niemals|ne|pas|jamais|nunca|non|niet|nooit|geen)\b|n['’]t\b|(?<!\p{L})(?:não|nie|не|нельзя)(?!\p{L})|(?<!\p{L})(?:inte|ikke|jangan|मत|नहीं|لا|ما)(?!\p{L})|[不勿禁別别]|ない|마|말/iu;
/** What was done so already is complained of. */
const HAS_BEEN =
  /\b(?:you|it|they|he|she|who|agent)(?: have| has|['’]ve)? (?:did|didn['’]t|went|made|changed|deleted|committed|pushed)\b|\b(?:did|didn['’]?t) (?:you|they|he|she)\b/i;

/** Whether a sentence says that something is not to be done unless the user allows it: that holds for good. */
export function needsLeave(sentence: string): boolean {
  if (HAS_BEEN.test(sentence)) return false;
  return (asksLeave(sentence) && NEGATES.test(sentence)) || asksFirst(sentence);
}
