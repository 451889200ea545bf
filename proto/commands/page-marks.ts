/**
 * Marks around text that a page may have written, so that a model can tell what a page says from what
 * the service says. Their name is random for each answer or request, so that no page can write an end
 * mark. Text that resembles a mark is broken up anyway, for models that do not compare exactly. Pure.
 */

export const betweenPageMarks = (text: string, nonce: string): string =>
  `<<<page-${nonce}\n${stripMarks(text, nonce)}\npage-${nonce}>>>`

const stripMarks = (text: string, nonce: string) =>
  text
    .replaceAll(nonce, '…')
    .replace(/(?<!<)<{3,}(?=\s?page-)/gi, '‹')
    .replace(/(?<=page-[\w-]{0,64}\s?)>{3,}/gi, '›')
