/** What is kept of a session, to files, and a link to its recording for others. */
import { UsageError, type CliCommand } from '../command.ts'
import { sizeWord } from '../../lib/text/sizes.ts'
import { callService, callVariables as variables, downloadTo, idPart } from '../service-call.ts'

/** The path of each below the session's, and how its file ends. */
const kept = {
  video: { path: 'recordings/primary/fetch', ending: 'mp4' },
  trace: { path: 'trace', ending: 'html' },
  har: { path: 'har', ending: 'har' },
} as const

const isKept = (what: string | undefined): what is keyof typeof kept =>
  what !== undefined && Object.hasOwn(kept, what)

export const saveCommand: CliCommand = {
  usage: 'sessions save (video | trace | har) ID [--output FILE]',
  about: 'Save the video, the trace or the requests of a session.',
  more:
    'A video is there a moment after the session’s end. Requests are an HTTP archive (HAR), which the ' +
    'network panel of every browser opens. All are kept for a day, of sessions that were created with ' +
    'recording or tracing.',
  arguments: [2, 2],
  options: { output: { value: 'FILE', help: 'A new file; the default is one here, named by ID.' } },
  variables,
  examples: [
    'troupe sessions save video ses_…',
    'troupe sessions save har ses_… --output shop.har',
  ],
  async run({ args: [what, id], values }) {
    if (!isKept(what)) throw new UsageError(`save video, trace or har, not "${what}"`)
    const { path, ending } = kept[what]
    const name = values['output'] ?? `${idPart(id)}.${ending}`
    const bytes = await downloadTo(`/v1/sessions/${idPart(id)}/${path}`, name)
    console.log(`${name}: ${sizeWord(bytes)}`)
    return 0
  },
}

interface SharedRecording {
  readonly recording_url: string
  readonly expires_at: string
}

const minutesMost = 24 * 60

export const shareCommand: CliCommand = {
  usage: 'sessions share ID [--minutes N]',
  about: 'Print a link to the recording of a session, for people without a key.',
  more:
    'It opens the player and nothing else of the session. It ends when it expires, when the recording is ' +
    'deleted, and when the key is revoked.',
  arguments: [1, 1],
  options: {
    minutes: { value: 'N', help: `How long it works (default: 60, at most ${minutesMost}).` },
  },
  variables,
  examples: ['troupe sessions share ses_… --minutes 1440'],
  async run({ args: [id], values: { minutes = '60' } }) {
    if (!/^[1-9]\d{0,3}$/.test(minutes) || Number(minutes) > minutesMost) {
      throw new UsageError(`--minutes is a number from 1 to ${minutesMost}`)
    }
    const path = `/v1/sessions/${idPart(id)}/recordings/primary/links`
    const asked = { ttl_seconds: Number(minutes) * 60 }
    const { recording_url, expires_at } = await callService<SharedRecording>('POST', path, asked)
    console.log(recording_url)
    console.error(`It works until ${expires_at}.`)
    return 0
  },
}
