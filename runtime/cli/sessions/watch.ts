/**
 * Follows tasks over NATS, with the watcher's account: prints a line for each step, or JSON.
 * Earlier records are available by REST and `/ws`.
 */
import { pino } from 'pino'
import { isId } from '../../../proto/ids.ts'
import { subjects } from '../../../proto/subjects.ts'
import type { TaskRecord } from '../../../proto/task/task.ts'
import { loadConfig, type Config } from '../../config/config.ts'
import { connectNats } from '../../store/nats/connection.ts'
import { privateNats, watcherUser } from '../../store/nats/server/server.ts'
import { CommandFailed, UsageError, type CliCommand } from '../command.ts'
import { recordText } from '../tasks/record-text.ts'
import { commandPatience } from '../with-store.ts'
import { Signals } from '../start/signals.ts'

export const watchCommand: CliCommand = {
  usage: 'watch [TASK] [--json | --how]',
  about: 'Follow web tasks live, one line per step.',
  arguments: [0, 1],
  options: {
    json: { help: 'Print the records as JSON, one per line.' },
    how: { help: 'Only print the command with which a NATS client does the same.' },
  },
  settings: ['NATS_URL', 'DATA_DIR'],
  examples: ['troupe watch', 'troupe watch tsk_… --json', '$(troupe watch --how)'],
  async run({ args: [task], switches }) {
    if (task !== undefined && !isId('tsk', task))
      throw new UsageError(`${task} is not the id of a task`)
    const config = watcherOf(loadConfig())
    if (switches.has('how')) console.log(natsCommand(config, task))
    else await follow(config, task, switches.has('json') ? JSON.stringify : recordText)
    return 0
  },
}

/** The watcher of the private server, or the user that NATS_URL is used with. */
function watcherOf(config: Config): Config {
  if (config.NATS_URL !== '') return config
  const nats = privateNats(config)
  if (!nats) {
    throw new CommandFailed(
      `no service has run on ${config.DATA_DIR}: start it with \`npm run troupe -- up\`, or set NATS_URL or DATA_DIR.`,
    )
  }
  const { url, watcher } = nats
  return { ...config, NATS_URL: url, NATS_USER: watcher.user, NATS_PASSWORD: watcher.password }
}

/**
 * The watcher's account has a short name for these subjects; the service's account has the full
 * name.
 */
function subjectsOf(task: string | undefined): { readonly short: string; readonly own: string } {
  if (task === undefined) return { short: 'tasks.>', own: subjects.publicTasks }
  return { short: `tasks.${task}.*`, own: subjects.taskRecords(task) }
}

function natsCommand({ NATS_URL, NATS_USER, NATS_PASSWORD }: Config, task?: string): string {
  const user = NATS_USER === '' ? '' : ` --user ${NATS_USER} --password ${NATS_PASSWORD}`
  return `nats --server ${NATS_URL}${user} sub ${subjectsOf(task).short}`
}

async function follow(
  config: Config,
  task: string | undefined,
  show: (record: TaskRecord) => string,
): Promise<void> {
  const signals = new Signals()
  const nc = await connectNats(config, 'watch', pino({ level: 'silent' }), commandPatience)
  const { short, own } = subjectsOf(task)
  // With an external NATS, our user may be in either account. The watcher does not try the other
  // name, because nats-server would log a violation.
  for (const subject of config.NATS_USER === watcherUser ? [short] : [short, own]) {
    nc.subscribe(subject, {
      callback(error, message) {
        // An account has only one of the names; the other may be refused.
        if (!error) console.log(show(JSON.parse(message.string()) as TaskRecord))
      },
    })
  }
  await nc.flush()
  console.error(`watching ${task ?? 'every task'}; Ctrl-C ends it`)
  await Promise.race([signals.stop, nc.closed()])
  await nc.close()
}
