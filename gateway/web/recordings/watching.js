// The player of a recorded session: links of events jump to their moment, the speed is chosen, moments
// without an event are skipped, and events are found by their words.
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
  const speed = shown('#speed')
  speed.addEventListener('change', () => (video.playbackRate = Number(speed.value)))
  skipQuiet(video, shown('#skip-quiet'))
  const search = document.querySelector('#find-event') && shown('#find-event')
  if (search) findEvents(search)
}

/** A control that needs scripts, with its label. */
function shown(selector) {
  const control = document.querySelector(selector)
  control.closest('[hidden]').hidden = false
  return control
}

/** So much of what is quiet is shown before the next event, and after the last one. */
const leadSeconds = 1

/** Captions say what happens. Where there is none for a while, the player jumps to the next. */
function skipQuiet(video, box) {
  const element = video.querySelector('track')
  const { track } = element
  box.addEventListener('change', () => {
    // A track that is off has no captions to look at.
    if (track.mode === 'disabled') track.mode = 'hidden'
  })
  video.addEventListener('timeupdate', () => {
    const isLoaded = element.readyState === HTMLTrackElement.LOADED
    if (!box.checked || !isLoaded || video.paused || video.seeking) return
    const now = video.currentTime
    const isShown = ({ startTime, endTime }) =>
      now >= startTime - leadSeconds && now < endTime + leadSeconds
    const cues = [...track.cues]
    if (cues.some(isShown)) return
    const next = cues.find(({ startTime }) => startTime > now)
    video.currentTime = next ? next.startTime - leadSeconds : video.duration
  })
}

/** Rows without the words are hidden; how many are left is told. */
function findEvents(search) {
  const rows = [...search.closest('section').querySelectorAll('tbody tr')]
  const found = document.querySelector('#found-events')
  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/)
    let count = 0
    for (const row of rows) {
      const text = row.textContent.toLowerCase()
      row.hidden = !words.every((word) => text.includes(word))
      if (!row.hidden) count++
    }
    found.textContent = search.value === '' ? '' : `${count} of ${rows.length}`
  })
}
