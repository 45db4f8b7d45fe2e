import { anyOf } from '../word-patterns.ts';

/** Words that keep something for the user to allow, in the languages that people write to agents in. */
const asksLeave = anyOf([
  /\bwithout (?:(?:my|our|me|first|explicit|prior|express) ){1,3}(?:permission|approval|consent|authori[sz]ation|confirmation|confirming|approving|agreement|say-so|go-ahead|ok(?:ay)?)\b/i,
  /\bwithout (?:first )?(?:asking|consulting|telling|checking with|confirming with) (?:me|us|first)\b|\b(?:unless|until) (?:i|we) (?:explicitly |have )?(?:say|said|ask|asked|tell|told|request|approve|approved|confirm|confirmed|allow|allowed)\b/i,
  /(?<!\p{L})(?:ohne (?:(?:meine|unsere|vorherige|ausdrückliche) ){0,2}(?:rückfrage|erlaubnis|zustimmung|freigabe|genehmigung|bestätigung)|ohne (?:mich )?(?:vorher )?zu fragen)(?!\p{L})/iu,
  /(?<!\p{L})(?:sem (?:a )?minha (?:\p{L}+ )?(?:autorização|permissão|aprovação|confirmação)|sin mi (?:\p{L}+ )?(?:autorización|permiso|aprobación|confirmación)|sans (?:ma|mon) (?:\p{L}+ )?(?:autorisation|permission|accord|approbation|confirmation)|sans me (?:le )?demander|senza (?:la mia|il mio) (?:\p{L}+ )?(?:autorizzazione|permesso|approvazione|consenso|conferma)|zonder mijn (?:\p{L}+ )?(?:toestemming|goedkeuring|akkoord))(?!\p{L})/iu,
  /(?<!\p{L})без (?:моего|моей|нашего) (?:\p{L}+ )?(?:разрешения|согласия|одобрения|подтверждения|ведома)(?!\p{L})/iu,
  /未[经經](?:我|允[许許]|[许許]可|同意|授[权權]|批准|[确確][认認])|[没沒]有我的(?:允[许許]|[许許]可|同意|授[权權]|批准|[确確][认認])|(?:許可|承認|確認)な(?:く|し)|(?:허락|허가|승인|동의) ?없이/,
]);
const NEGATES =
  /\b(?:not|never|no|nicht|keine?[mnrs]?|niemals|ne|pas|jamais|nunca|non|niet|nooit|geen)\b|n['’]t\b|(?<!\p{L})(?:não|nie|не|нельзя)(?!\p{L})|[不勿禁別别]|ない|마|말/iu;
/** What was done so already is complained of. */
const HAS_BEEN =
  /\b(?:you|it|they|he|she|who|agent)(?: have| has|['’]ve)? (?:did|didn['’]t|went|made|changed|deleted|committed|pushed)\b/i;

/** Whether a sentence says that something is not to be done unless the user allows it: that holds for good. */
export function needsLeave(sentence: string): boolean {
  return asksLeave(sentence) && NEGATES.test(sentence) && !HAS_BEEN.test(sentence);
}
