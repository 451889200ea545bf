/** Why a session has ended, and what its viewers can do now. */
const askTheSender = 'Ask the person who sent you the link if you need a new one.'
const createAnother = 'Create a new session to continue.'

/**
 * For each reason: a title, advice for viewers in control, and a text if the service provides none.
 */
const endings = {
  idle: {
    title: 'The session ended: it was not in use',
    advice: 'Create a new session to continue. A longer idle_timeout makes it wait longer.',
  },
  max_duration: {
    title: 'The session ended: its time is up',
    advice: 'Create a new session to continue. A longer max_duration gives it more time.',
  },
  deleted: { title: 'The session was ended', text: 'Someone with access to the session ended it.' },
  browser_closed: { title: 'The session ended: its browser was closed' },
  browser_crashed: {
    title: 'The session ended: its browser crashed',
    advice: 'Create a new session and try again.',
  },
  out_of_resources: {
    title: 'The session ended: its browser used too many resources',
    advice: 'Create a new session. The operator of the service can raise the limits.',
  },
  start_failed: {
    title: 'The session did not start',
    advice: 'Create a new session. If that fails too, contact the operator of the service.',
  },
  task_over: {
    title: 'The session ended: its task has ended',
    advice: 'See the task for the result.',
  },
  node_lost: {
    title: 'The session ended: its host is gone',
    advice: 'Create a new session. It starts on another host, if there is one.',
  },
  draining: {
    title: 'The session ended: its host is shutting down',
    advice: 'Create a new session. It starts on another host, if there is one.',
  },
}

export function endingOf({ reason, why = '', mode }) {
  const ending = endings[reason] ?? {}
  const { title = 'The session has ended', text = why, advice = createAnother } = ending
  return { title, text, advice: mode === 'control' ? advice : askTheSender }
}
