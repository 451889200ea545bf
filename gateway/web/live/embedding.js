/**
 * Tells the page that has this one in a frame what is shown: the state in words, and the size that the
 * picture would have. Nothing of the session itself. `../embed/live-view.js` listens.
 */
const isFramed = parent !== window

/** Pages that may have it in a frame are those of the link, so all of them may know. */
const tell = (message) => isFramed && parent.postMessage({ troupe: 'live', ...message }, '*')

/** @param {{ state: string, reason?: string }} facts `reason`: why the session has ended. */
export const tellState = (facts) => tell({ type: 'state', ...facts })

/** In CSS pixels; `above` is the height of what stands above the picture. */
export const tellSize = ({ width, height }) =>
  tell({ type: 'size', width, height, above: document.querySelector('.bar').offsetHeight })
