/** Web tasks over REST. */
import { limits } from '../../../proto/limits.ts'
import type { TaskWaitRecord } from '../../../proto/task/task.ts'
import { type CliCommand, type CliCommandGroup } from '../command.ts'
import { alignColumns } from '../help.ts'
import { callService, callVariables as variables, idPart } from '../service-call.ts'
import { Signals } from '../start/signals.ts'
import { durationText, prettyJson, tableText, type TextColumn } from '../terminal/table.ts'
import { followTask } from './follow.ts'
import { recordText, waitText } from './record-text.ts'
import { runTaskCommand } from './run.ts'

const tasksPath = '/v1/tools/perform-web-task'

interface ListedTask {
  readonly id: string
  readonly status: string
  readonly state: string
  readonly prompt: string
  readonly provider: string
  readonly model?: string
  readonly session_id?: string
  readonly created_at: string
  readonly ended_at?: string
  readonly steps: number
  readonly max_steps: number
  readonly note?: string
  readonly usage: {
    readonly input_tokens: number
    readonly output_tokens: number
    readonly cost_usd?: number
  }
  readonly question?: { readonly text: string }
  readonly waiting?: TaskWaitRecord
  readonly result?: unknown
  readonly error?: string
}

interface TaskPage {
  readonly tasks: readonly ListedTask[]
  readonly total: number
  readonly page: number
  readonly total_pages: number
}

const json = { json: { help: 'Print the service’s answer as JSON.' } } as const

const tokensOf = ({ usage }: ListedTask) => usage.input_tokens + usage.output_tokens
const costOf = ({ usage }: ListedTask) => usage.cost_usd && `$${usage.cost_usd.toFixed(4)}`
const lastedMs = ({ created_at: from, ended_at: to }: ListedTask) =>
  (to === undefined ? Date.now() : Date.parse(to)) - Date.parse(from)

const columns: readonly TextColumn<ListedTask>[] = [
  { head: 'TASK', cell: ({ id }) => id },
  { head: 'STATE', cell: (task) => (task.waiting ? 'waiting for the model' : task.state) },
  { head: 'FOR', cell: (task) => durationText(lastedMs(task)), alignsRight: true },
  { head: 'STEPS', cell: ({ steps }) => steps, alignsRight: true },
  { head: 'TOKENS', cell: tokensOf, alignsRight: true },
  { head: 'COST', cell: costOf, alignsRight: true },
  { head: 'PROVIDER', cell: ({ provider }) => provider },
  { head: 'GOAL', cell: ({ prompt }) => prompt, charsMax: 60 },
]

const list: CliCommand = {
  usage: 'tasks list [--status S] [--session ID] [--page N | --cursor C] [--json]',
  about: 'List your web tasks, the newest first.',
  options: {
    status: {
      value: 'S',
      help: 'RUNNING, COMPLETED, FAILED, CANCELLED, or the exact name of a state.',
    },
    session: { value: 'ID', help: 'Only tasks of this session.' },
    page: { value: 'N', help: `Which page of ${limits.pageRows} (default: 1).` },
    cursor: { value: 'C', help: 'Instead of a page: what follows the `next_cursor` of an answer.' },
    ...json,
  },
  variables,
  examples: ['troupe tasks list --status RUNNING'],
  async run({ values, switches }) {
    const { status, session, page = '1', cursor } = values
    const query = new URLSearchParams({
      ...{
        limit: String(limits.pageRows),
        sort_order: 'desc',
        ...(cursor ? { cursor } : { page }),
      },
      ...(status && { status }),
      ...(session && { session_id: session }),
    })
    const found = await callService<TaskPage>('GET', `${tasksPath}?${query}`)
    console.log(switches.has('json') ? prettyJson(found) : pageText(found))
    return 0
  },
}

function pageText({ tasks, total, page, total_pages: pages }: TaskPage): string {
  if (tasks.length === 0) return 'no tasks'
  const table = tableText(columns, tasks)
  return pages > page ? `${table}\n${tasks.length} of ${total}; more: --page ${page + 1}` : table
}

const show: CliCommand = {
  usage: 'tasks show ID [--json]',
  about: 'Show one task: its state, its usage and its result.',
  arguments: [1, 1],
  options: json,
  variables,
  examples: ['troupe tasks show tsk_…', 'troupe tasks show tsk_… --json'],
  async run({ args: [id], switches }) {
    const task = await callService<ListedTask>('GET', `${tasksPath}/${idPart(id)}`)
    console.log(switches.has('json') ? prettyJson(task) : alignColumns(detailsOf(task), ''))
    return 0
  },
}

function detailsOf(task: ListedTask): readonly (readonly [string, string])[] {
  const { id, prompt, provider, model, session_id, steps, max_steps, note } = task
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Task', id],
    ['State', `${stateText(task)}, ${durationText(lastedMs(task))} since it was created`],
    ['Goal', JSON.stringify(prompt)],
    ['Model', model === undefined ? provider : `${provider}, ${model}`],
    ['Session', session_id],
    ['Steps', `${steps} of ${max_steps} at most`],
    ['Tokens', `${task.usage.input_tokens} in, ${task.usage.output_tokens} out`],
    ['Cost', costOf(task) || undefined],
    ['Last reason', note && JSON.stringify(note)],
    ['Question', task.question && JSON.stringify(task.question.text)],
    ['Result', task.result === undefined ? undefined : JSON.stringify(task.result)],
    ['Error', task.error],
  ]
  return rows.flatMap(([name, text]) => (text ? [[name, text] as const] : []))
}

const stateText = ({ state, waiting }: ListedTask) => (waiting ? waitText(waiting) : state)

const watch: CliCommand = {
  usage: 'tasks watch ID [--json]',
  about: 'Follow a task from its first step to its end. The exit code is 0 if it completed.',
  more: 'Ctrl-C stops following; the task continues.',
  arguments: [1, 1],
  options: { json: { help: 'Print the records as JSON, one per line.' } },
  variables,
  examples: ['troupe tasks watch tsk_…'],
  async run({ args: [id = ''], switches }) {
    // Checked over REST first, because the socket cannot report why an id is unknown.
    await callService('GET', `${tasksPath}/${idPart(id)}/status`)
    const text = switches.has('json') ? JSON.stringify : recordText
    const last = await followTask(id, (record) => console.log(text(record)), new Signals().first)
    return last === undefined || last.status === 'COMPLETED' ? 0 : 1
  },
}

const cancel: CliCommand = {
  usage: 'tasks cancel ID',
  about: 'Cancel a task. A task that has ended is not changed.',
  arguments: [1, 1],
  variables,
  examples: ['troupe tasks cancel tsk_…'],
  async run({ args: [id] }) {
    const task = await callService<ListedTask>('POST', `${tasksPath}/${idPart(id)}/cancel`)
    console.log(`${task.id} is ${task.status === 'RUNNING' ? 'being cancelled' : task.state}`)
    return 0
  },
}

export const tasksCommandGroup: CliCommandGroup = {
  about: 'Run, list, show, watch and cancel web tasks over REST.',
  commands: { run: runTaskCommand, list, show, watch, cancel },
}
