/**
 * Tells the page that has this one in a frame what is shown: the state in words, and the size that the
 * picture would have. Nothing of the session itself. `../embed/live-view.js` listens.
 */
const isFramed = parent !== window

/** Pages that may have it in a frame are those of the link, so all of them may know. */
const tell = (message) => isFramed && parent.postMessage({ troupe: 'live', ...message }, '*')

/** @param {{ state: string, reason?: string }} facts `reason`: why the session has ended. */
export const tellState = (facts) => tell({ type: 'state', ...facts })

const bar = document.querySelector('.bar')
let picture

/** In CSS pixels; `above` is the height of the bar, wherever it stands. */
const tellAll = () => picture && tell({ type: 'size', ...picture, above: bar.offsetHeight })

/** The bar becomes higher with a title or a badge that comes after the picture. */
if (isFramed) new ResizeObserver(tellAll).observe(bar)

/** `size` is that of the picture, in CSS pixels. */
export function tellSize({ width, height }) {
  picture = { width, height }
  tellAll()
}
