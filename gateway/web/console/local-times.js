/** Shows times in the zone of this device. Pages have them in UTC, which stays as their title. */
const isUtc = new Intl.DateTimeFormat().resolvedOptions().timeZone === 'UTC'

const day = { day: 'numeric', month: 'short', year: 'numeric' }
const minute = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' }
const second = { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' }

/** The forms of times on pages, and how each is written in another zone. */
const forms = [
  [
    /^\d{1,2} [A-Z]\w+ \d{4}, \d\d:\d\d UTC$/,
    new Intl.DateTimeFormat('en-GB', { ...day, ...minute }),
  ],
  [/^\d\d:\d\d:\d\d UTC$/, new Intl.DateTimeFormat('en-GB', second)],
  [
    /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/,
    new Intl.DateTimeFormat('sv-SE', { ...day, month: '2-digit', day: '2-digit', ...second }),
  ],
]

/** Within `root`, which may be a time itself. */
export function showLocalTimes(root) {
  if (isUtc) return
  const within = root.querySelectorAll('time[datetime]')
  for (const time of root.matches?.('time[datetime]') ? [root, ...within] : within) {
    const utc = time.textContent
    const form = forms.find(([pattern]) => pattern.test(utc))
    if (!form) continue
    time.textContent = form[1].format(new Date(time.dateTime))
    time.title = utc
  }
}
