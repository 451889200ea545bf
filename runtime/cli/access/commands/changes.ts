/** Commands for the managed backlog. Lists, `show` and `review` handle changes too. */
import { defined } from '../../../../proto/defined.ts'
import { readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { isAccessId } from '../../../../proto/access/ids.ts'
import { alignColumns } from '../../help.ts'
import { CommandFailed, UsageError, type CliCommand, type CliInput } from '../../command.ts'
import { baseVariable } from '../../service-base.ts'
import { parseTimeInput } from '../../terminal/parse-time.ts'
import { z } from 'zod'
import { changeAnswer, changeAsText } from '../service/change-text.ts'
import { getChange } from '../service/entities.ts'
import { dataOf } from '../service/service.ts'
import { ServiceSession } from '../people/service-session.ts'

const path = '/v1/changes'
const answer = dataOf(changeAnswer)
const common = { settings: ['DATA_DIR'], variables: baseVariable } as const
const reason = {
  value: 'TEXT',
  required: true,
  help: 'Why, for later readers of the audit.',
} as const

export const changeCommand: CliCommand = {
  ...common,
  usage: 'access change FILE [--propose]',
  about: 'Draft a change from a file of JSON (- for stdin): the body of POST /v1/changes.',
  arguments: [1, 1],
  options: { propose: { help: 'Propose it at once.' } },
  examples: ['troupe access change monitor.json --propose'],
  async run({ args: [file = ''], switches }) {
    const body = await readJson(file)
    const service = ServiceSession.open()
    const made = await service.call({ method: 'POST', path, body, answer })
    if (!switches.has('propose')) console.log(changeAsText(made))
    else console.log(changeAsText(await say(service, made, 'propose')))
    return 0
  },
}

export const templatesCommand: CliCommand = {
  ...common,
  usage: 'access templates',
  about: 'List the pre-approved standard changes.',
  async run() {
    const template = z.object({
      ...{ id: z.string(), area: z.string(), operation: z.string(), title: z.string() },
      patch: z.object({ properties: z.record(z.string(), z.unknown()) }),
    })
    const found = await ServiceSession.open().call({
      ...{ method: 'GET', path: '/v1/change-templates' },
      answer: dataOf(z.array(template)),
    })
    const cells = found.map(({ id, area, operation, title, patch }) => {
      return [id, `${operation} ${area}`, Object.keys(patch.properties).join(','), title]
    })
    console.log(alignColumns([['ID', 'DOES', 'FIELDS', 'TITLE'], ...cells], ''))
    return 0
  },
}

interface VersionedChange {
  readonly id: string
  readonly version: number
}

const say = (
  service: ServiceSession,
  { id, version }: VersionedChange,
  verb: string,
  body?: object,
) =>
  service.call({
    ...{ method: 'POST', path: `${path}/${id}/${verb}`, version, answer },
    ...(body && { body }),
  })

/** A verb of a change, applied to its current version. */
function step(
  verb: string,
  about: string,
  more: Pick<CliCommand, 'options' | 'examples' | 'more'> & {
    readonly usage?: string
    readonly body?: (input: CliInput) => object | undefined
  } = {},
): CliCommand {
  const { usage = '', body, ...rest } = more
  return {
    ...common,
    ...rest,
    usage: `access ${verb} ID${usage}`,
    about,
    arguments: [1, 1],
    async run(input) {
      const [id = ''] = input.args
      if (!isAccessId('change', id)) throw new UsageError(`${verb} takes a change: chg_…`)
      const service = ServiceSession.open()
      const given = body?.(input)
      console.log(changeAsText(await say(service, await getChange(service, id), verb, given)))
      return 0
    },
  }
}

const commandWithReason = (verb: string, about: string): CliCommand =>
  step(verb, about, {
    usage: ' --reason TEXT',
    options: { reason },
    body: ({ values }) => ({ reason: values['reason'] }),
  })

export const proposeCommand = step(
  'propose',
  'Propose a drafted change: it is checked against its target, and its reviewers are determined.',
)

export const scheduleCommand = step('schedule', 'Schedule an approved change.', {
  usage: ' [--from WHEN] [--until WHEN]',
  more: 'Without these options, the window in the change itself is used.',
  options: {
    from: { value: 'WHEN', help: 'In 12h or 3d, or a date (default: now).' },
    until: { value: 'WHEN', help: 'After 12h or 3d, or at a date.' },
  },
  examples: ['troupe access schedule chg_… --from 2026-12-01T20:00Z --until 2026-12-01T22:00Z'],
  body: ({ values }) => parseWindow(values, Date.now()),
})

/** Empty if no option was given: then the change's own window is used. */
function parseWindow(
  { from, until }: CliInput['values'],
  nowMs: number,
): { readonly window?: { readonly start: string; readonly end: string } } {
  if (from === undefined && until === undefined) return {}
  if (until === undefined) throw new UsageError('--until WHEN is required with --from')
  const iso = (ms: number) => new Date(ms).toISOString()
  const startMs = from === undefined ? nowMs : parseTimeInput('from', from, nowMs)
  return { window: { start: iso(startMs), end: iso(parseTimeInput('until', until, nowMs)) } }
}

export const startCommand = step(
  'start',
  'Start a change in its window. Its approvers may not do this.',
)

export const completeCommand = step(
  'complete',
  'Report that a change was carried out: its patch is then written.',
  {
    usage: ' --evidence TEXT [--notes TEXT]',
    options: {
      evidence: { value: 'TEXT', required: true, help: 'A URL, or an observation.' },
      notes: { value: 'TEXT', help: 'Additional notes.' },
    },
    examples: ['troupe access complete chg_… --evidence https://ci.example.com/runs/7'],
    body: ({ values: { evidence, notes } }) => ({
      evidence: [evidence],
      ...defined({ notes }),
    }),
  },
)

export const failCommand = commandWithReason(
  'fail',
  'Report that a change has failed; nothing is written.',
)
export const rollBackCommand = commandWithReason(
  'roll-back',
  'Report that a failed change was rolled back.',
)
export const cancelCommand = commandWithReason('cancel', 'Cancel a change that has not started.')
export const postReviewCommand = commandWithReason(
  'post-review',
  'Record your review of a completed emergency change.',
)

/** The service checks what the JSON says. */
async function readJson(file: string): Promise<unknown> {
  const isStdin = file === '-'
  const json = isStdin ? await text(process.stdin) : readText(file)
  try {
    return JSON.parse(json)
  } catch (error) {
    const source = isStdin ? 'the standard input' : file
    throw new CommandFailed(`${source} is not JSON: ${(error as Error).message}`)
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandFailed(`${file} cannot be read: ${(error as Error).message}`)
  }
}
