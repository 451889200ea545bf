/** What the agent calls to fill in login forms, in our isolated worlds: a bundle for the documents that have one. */
export { fillLoginField } from './fill.ts'
export { findLoginForm, loginField, namedLoginField } from './form.ts'
export { veilValues } from './veil-values.ts'
export { showsVeiled } from '../masking/veil.ts'
