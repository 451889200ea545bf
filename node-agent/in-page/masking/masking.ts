/**
 * What the agent runs in the documents of a session with `sensitive_data_mask`: a bundle of its own, sent to
 * no other session.
 */
export { maskDocument } from './mask-document.ts'
export { maskedTexts, showsMasked } from './masked-texts.ts'
export { refusedSelector } from './mask-rules.ts'
export { openRoots } from './open-roots.ts'
