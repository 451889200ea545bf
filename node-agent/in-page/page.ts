/**
 * What the agent calls in our isolated worlds: the build makes one bundle of it, which is installed
 * once in each document, so these modules may keep what they know of a document in variables.
 */
export { chooseOptions } from './actions/choosing.ts'
export { keyFate, watchKeys } from './actions/keys.ts'
export { arrivalAt, pressFate, twinAt, unwatch, watchPress } from './actions/pressing.ts'
export { scrollElement, scrollMiddle, scrollThrough } from './actions/scrolling.ts'
export {
  fieldState,
  insertEach,
  insertText,
  originOf,
  pasteInEditor,
  setValue,
} from './actions/typing.ts'
export { fileInputOf, isDisabled, takesMany } from './actions/uploading.ts'
export { hasText, nextMutation } from './actions/waiting.ts'
export {
  arrivedAt,
  currentUrl,
  hasLoaded,
  innerSize,
  permissionStates,
  titledLocation,
  visibilityOf,
} from './document-state.ts'
export { nextFrames, nextTask } from './drawing.ts'
export { extractText } from './extract.ts'
export {
  documentSize,
  fateIn,
  hostsToAsk,
  openReader,
  openRoots,
  ownElement,
  readLines,
  recordListeners,
} from './snapshot/read.ts'
export { elementOf } from './snapshot/tree.ts'
export { lookAtCentre } from './targeting/centre.ts'
export { keepFound, takeFound } from './targeting/found.ts'
export { cornersOf, lookAtElement, lookThroughFrame } from './targeting/look.ts'
export {
  countMatches,
  firstMatch,
  isOfThisFrame,
  isVisible,
  matchAt,
} from './targeting/matching.ts'
export { countHolders, firstHolder, placesOfWords } from './targeting/words.ts'
