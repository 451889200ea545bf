/** A supervisor with minimal roles: it prints each event on stdout, one per line. */
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { loadConfig } from '../../../runtime/config/config.ts'
import { Supervisor } from '../../../runtime/process/supervisor/supervisor.ts'

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort(new Error('stopped')))
const say = (line: string) => process.stdout.write(`${line}\n`)

const supervisor = await Supervisor.start(
  {
    config: loadConfig(),
    log: pino({ level: 'silent' }),
    writeLine: (line) => void process.stderr.write(`${line}\n`),
    onEvent: (event) => say(`${event.type} ${event.child}`),
    program: (role) => [fileURLToPath(new URL('./tiny-role.js', import.meta.url)), role],
  },
  stop.signal,
)
say('started')
stop.signal.addEventListener('abort', () => void supervisor.stop().then(() => say('stopped')))
