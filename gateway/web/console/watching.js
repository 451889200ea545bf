// The player of a recorded session: links of events jump to their moment, and the speed is chosen.
export function watchRecording() {
  const again = document.querySelector('[data-again]')
  if (again) setTimeout(() => location.reload(), Number(again.dataset.again) * 1_000)
  const video = document.querySelector('#video')
  if (!video) return
  for (const link of document.querySelectorAll('a[data-moment]')) {
    link.addEventListener('click', (event) => {
      event.preventDefault()
      video.currentTime = Number(link.dataset.moment)
      video.scrollIntoView({ block: 'nearest' })
      video.focus({ preventScroll: true })
    })
  }
  const speed = document.querySelector('#speed')
  speed.parentElement.hidden = false
  speed.addEventListener('change', () => (video.playbackRate = Number(speed.value)))
}
