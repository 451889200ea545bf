/** The last picture of a lost connection. It stays, dimmed, until the next picture is shown. */
const place = document.querySelector('#last-picture')
const attributesOfTheLivePicture = ['tabindex', 'role', 'aria-label', 'aria-describedby', 'style']

/** Takes the canvas over; its view no longer draws on it or listens to it. */
export function keepPicture(canvas, { fit }) {
  for (const name of attributesOfTheLivePicture) canvas.removeAttribute(name)
  canvas.classList.toggle('fit', fit)
  place.replaceChildren(canvas)
}

export function forgetPicture() {
  place.replaceChildren()
}
