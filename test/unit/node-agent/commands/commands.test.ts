/**
 * Goal: commands of one session run in order, those of another do not wait for them, and each uses
 * the right kind of input. Method: input devices that record what they are told.
 */
import { pino } from 'pino'
import t from 'tap'
import { CommandExecutor } from '../../../../node-agent/commands/command-executor.ts'
import {
  CommandContext,
  type PageActionTools,
  type CommandContextParts,
} from '../../../../node-agent/commands/command-context.ts'
import { targetOf } from '../../../../node-agent/commands/command-target.ts'
import { FilledValues } from '../../../../node-agent/logins/filled-values.ts'
import type { Tab } from '../../../../node-agent/page/tabs/tab.ts'
import type { InputDevice } from '../../../../node-agent/input/input-device.ts'
import type { ActionContext } from '../../../../node-agent/page/actions/acting.ts'
import { commandCatalogue, type CommandCall } from '../../../../proto/commands/catalogue.ts'
import { ServiceError } from '../../../../proto/errors.ts'
import { limits } from '../../../../proto/limits.ts'
import type { NewLoggedEvent } from '../../../../proto/session/session-event.ts'
import type { IssuedByTask, NetworkPolicy } from '../../../../proto/browser-host/node.ts'
import { noLogins } from '../../../helpers/browser/page-session.ts'
import { until } from '../../../helpers/lib/until.ts'
import { SimProcess, Timeline } from '../../../sim/world/clock.ts'
import { agentCommandLimits } from '../../../../node-agent/commands/limits.ts'

type Told = (way: string, what: string, args: readonly unknown[]) => unknown

function playedHands(way: string, tell: Told): InputDevice {
  const hands = new Proxy({} as InputDevice, {
    // A promise that resolves with the hands would look for `then`.
    get: (_, what) =>
      what === 'then'
        ? undefined
        : async (...args: readonly unknown[]) => tell(way, String(what), args),
  })
  return hands
}

/** Answers every question with the fields that any of them reads. */
const playedPage = { send: async () => ({ data: '', result: { type: 'string', value: 'text' } }) }
const playedTab = { id: 'tab', url: 'about:blank', title: '', selected: true }
const shown = { image: Buffer.from('page'), type: 'image/png', left: 0, top: 87, scale: 1 }

/** Takes its turn, and does nothing in it. */
function playedActing(tell: Told): PageActionTools {
  const acted = { url: 'about:blank', title: '', changes: '' }
  const read = { url: '', title: '', text: '', more: 0 }
  return {
    context: async () => ({ tab: playedPage }) as unknown as ActionContext,
    async act(turn) {
      await turn(async () => void (await tell('page', 'act', [])))
      return acted
    },
    read: async () => read,
    look: async () => read,
    watch: async () => acted,
    answerDialog: async () => acted,
  }
}

function playedBench(tell: Told, given: Partial<CommandContextParts> = {}): CommandContext {
  return CommandContext.of({
    pageInput: async () => playedHands('page', tell),
    desktop: {
      inputDevice: async () => playedHands('desktop', tell),
      screenshot: async () => ({ png: Buffer.from('desktop'), left: 0, top: 0 }),
      closeFileChoosers: async () => void tell('desktop', 'closeFileChoosers', []),
    },
    page: {
      goto: async (url) => void tell('page', 'goto', [url]),
      locate: async () => ({ x: 10, y: 107 }),
      origin: async () => ({ left: 0, top: 87, scale: 1 }),
      setFiles: async (...args) => void tell('page', 'setFiles', args),
      screenshot: async () => shown,
      listTabs: async () => [playedTab],
      openTab: async () => playedTab,
      selectTab: async () => playedTab,
      closeTab: async () => undefined,
    },
    uploads: { pathOf: (id) => `/uploads/${id}`, store: async (name) => `/uploads/${name}` },
    actions: playedActing(tell),
    recorder: {
      console: async () => [],
      network: async () => [],
      body: async () => ({ url: 'http://a/', type: 'text/plain', body: 'a', base64: false }),
      since: async (_, counts) => ({ console: [], requests: [], counts }),
    },
    scripts: { run: async () => ({ value: null, logs: [] }) },
    permissions: { set: async (one) => void tell('permissions', 'set', [one]) },
    routes: { add: async () => undefined, remove: async () => undefined, list: () => [] },
    logins: { ask: noLogins, filled: new FilledValues() },
    storage: {
      read: async () => ({ cookies: [], origins: [], omitted: [] }),
      replace: async (state) => void tell('storage', 'replace', [state]),
    },
    network: {
      isRestricted: false,
      refusalOf: () => undefined,
      failureOf: async () => undefined,
      restrict: async (policy) => void tell('network', 'restrict', [policy]),
      liftWhenPagesAreGone: async () => void tell('network', 'liftWhenPagesAreGone', []),
    },
    mayEvaluate: true,
    isTraced: false,
    ...given,
  })
}

type Issued = IssuedByTask & { readonly keyId?: string }

function setUp(given: Partial<CommandContextParts> = {}, answer?: Told) {
  const told: string[] = []
  const logged: string[] = []
  const tell: Told = (way, what, args) => {
    told.push(`${way} ${what} ${JSON.stringify(args)}`)
    return answer?.(way, what, args)
  }
  const benches = new Map<string, CommandContext>()
  const happened: ({ readonly sessionId: string } & NewLoggedEvent)[] = []
  const timeline = new Timeline()
  const benchOf = (sessionId: string) => {
    const bench = benches.get(sessionId) ?? playedBench(tell, given)
    benches.set(sessionId, bench)
    return bench
  }
  const commands = new CommandExecutor({
    benchOf: ({ sessionId }) => benchOf(sessionId),
    traces: { record: () => Promise.reject(new Error('nothing is traced')) },
    events: { add: (sessionId, event) => void happened.push({ sessionId, ...event }) },
    clock: new SimProcess(timeline, 'agent').clock,
    log: pino({ level: 'trace' }, { write: (line) => void logged.push(line) }),
  })
  return {
    told,
    logged,
    timeline,
    run: (actions: readonly CommandCall[], sessionId = 'one', order: Issued = {}) =>
      commands.run({
        ...{ sessionId, epoch: 1, actions, withinMs: limits.commandMs },
        loginTickets: { '': 'ticket' },
        ...order,
      }),
    happened,
    restrict: (policy: NetworkPolicy | null, order: IssuedByTask = {}) =>
      commands.restrict({ sessionId: 'one', epoch: 1, policy, ...order }),
  }
}

/** Something that takes until it is told to end. */
function gate() {
  let resolve!: () => void
  let reject!: (error: Error) => void
  const promise = new Promise<void>((yes, no) => ([resolve, reject] = [yes, no]))
  return { promise, resolve, reject }
}

/** An action as the gateway would make it from a request's body. */
function action(command: CommandCall['command'], input: object = {}): CommandCall {
  const entry = commandCatalogue.find(({ name }) => name === command)!
  return { command, input: entry.input.parse(input) } as CommandCall
}

const click = (x: number) => action('mouse_click', { x, y: 5 })
const typed = action('keyboard_type', { text: 'a' })

t.test('every command of the catalogue is carried out', async (t) => {
  const aimed = { target: '#a' }
  const inputs: Partial<Record<CommandCall['command'], object>> = {
    drag_and_drop: { startX: 1, startY: 2, endX: 3, endY: 4 },
    scroll: { x: 1, y: 2, deltaY: 3 },
    keyboard_type: { text: 'a' },
    keyboard_shortcut: { keys: ['a'] },
    clipboard_write: { text: 'a' },
    paste: { text: 'a' },
    goto: { url: 'about:blank' },
    attach_upload: { id: 'fil_1', selector: 'input' },
    navigate: { url: 'about:blank' },
    click: aimed,
    type: { ...aimed, text: 'a' },
    press: { key: 'a' },
    select_option: { ...aimed, value: 'a' },
    select_text: { text: 'a' },
    drag: { from: '#a', to: '#b' },
    scroll_page: {},
    upload: { ...aimed, name: 'a.txt', content: 'a' },
    response_body: { id: '1.1' },
    handle_dialog: { accept: true },
    handle_permission: { permission: 'camera', origin: 'https://a.example' },
    wait_for: { text: 'a' },
    ...{ route: { url: '*' }, unroute: {}, routes: {} },
    snapshot: {},
    find: { text: 'a' },
    extract_text: {},
    evaluate: { expression: '1' },
    tab_select: { tab: 'tab' },
    tab_close: { tab: 'tab' },
    run_script: { code: '() => null' },
    fill_login: {},
    storage_state: {},
    set_storage_state: {},
  }
  const { run } = setUp({}, () => 'text')
  // A script runs while the page is watched; what else is done then needs a real page.
  const watching: PageActionTools = {
    ...playedActing(() => undefined),
    async watch(use) {
      await use({ tab: playedTab } as unknown as ActionContext)
      return { url: 'about:blank', title: '', changes: '' }
    },
  }
  const { run: runScript } = setUp({ actions: watching })
  for (const { name, output } of commandCatalogue) {
    const [reply] = await (name === 'run_script' ? runScript : run)([
      action(name, inputs[name] ?? { x: 1, y: 2 }),
    ])
    t.ok(reply!.ok && output.safeParse(reply!.value).success, name)
  }
})

t.test('what was filled in is in no answer, error or log', async (t) => {
  const filled = new FilledValues()
  const tab = { on: () => () => undefined } as unknown as Tab
  await filled.add(tab, 'shop', { username: 'anna@shop.example', password: 'blue-kettle' })
  const faults = ['broke', 'refused']
  const { run, logged } = setUp({ logins: { ask: noLogins, filled } }, (_, what) => {
    if (what === 'locate') throw new Error('the page says blue-kettle')
    if (what !== 'goto') return undefined
    if (faults.shift() === 'broke') throw new Error('cannot read anna@shop.example of blue-kettle')
    throw new ServiceError('unavailable', 'blue-kettle is not here')
  })
  const goto = action('goto', { url: 'https://shop.example' })
  const answers = [await run([goto]), await run([goto])]
  t.match(answers[1], [{ error: { message: '<secret>shop.password</secret> is not here' } }])
  t.equal(logged.length, 2)
  t.match(logged.join(), /cannot read <secret>shop\.username<\/secret>/)
  t.notMatch(JSON.stringify([answers, logged]), /kettle|anna@/)
})

t.test('commands are events of their session, without what was typed', async (t) => {
  const { run, happened } = setUp({}, (_, what) => {
    if (what === 'type') throw new ServiceError('conflict', 'The field is gone.')
    return undefined
  })
  const secret = action('keyboard_type', { text: 'a secret' })
  await run([click(1), secret, click(2)], 'one', { by: { id: 'tsk_1', epoch: 1, step: 4 } })
  await run([click(3)], 'two', { keyId: 'k1' })
  const command = { type: 'command', sessionId: 'one', task: 'tsk_1', step: 4 }
  t.match(happened, [
    { ...command, command: 'mouse_click', outcome: 'done', ms: 0, at: String },
    { ...command, command: 'keyboard_type', outcome: 'conflict' },
    { type: 'command', sessionId: 'two', command: 'mouse_click', task: undefined, key: 'k1' },
  ])
  t.notMatch(JSON.stringify(happened), 'secret')
})

t.test('the target of a command is told, and nothing else of its input', (t) => {
  const of = (command: CommandCall['command'], input: object) => targetOf(action(command, input))
  t.equal(of('click', { target: 'button "Save"' }), 'button "Save"')
  t.equal(of('type', { target: 'textbox "Password"', text: 'kettle' }), 'textbox "Password"')
  t.equal(of('type', { selector: '#password', text: 'kettle' }), '#password')
  t.equal(of('fill_login', { login: 'shop' }), 'shop')
  t.equal(
    of('navigate', { url: 'https://anna:kettle@shop.example/?q=kettle' }),
    'https://shop.example/?q=…',
  )
  t.equal(of('navigate', { url: `https://shop.example/${'x'.repeat(5_000)}` })?.length, 501)
  t.equal(of('mouse_click', { x: 3, y: 4 }), '3, 4')
  t.equal(of('keyboard_type', { text: 'kettle' }), undefined)
  t.end()
})

t.test('commands of one session run one by one, those of two side by side', async (t) => {
  const slow = gate()
  const { run, told } = setUp({}, (_, what) => (what === 'type' ? slow.promise : undefined))
  const first = run([typed])
  const second = run([click(1)])
  await run([click(2)], 'two')
  t.match(told, [/type/, /click \[{"x":2/])
  slow.resolve()
  await Promise.all([first, second])
  t.match(told, [/type/, /click \[{"x":2/, /click \[{"x":1/])
})

t.test('a failed action does not block the next, and too many are refused', async (t) => {
  const slow = gate()
  const { run } = setUp({}, (_, what) => (what === 'type' ? slow.promise : undefined))
  const waiting = Array.from({ length: agentCommandLimits.inputActionsQueued }, () => run([typed]))
  t.match(await run([click(1)]), [{ ok: false, error: { type: 'busy' } }])
  slow.reject(new ServiceError('bad_request', 'no'))
  t.match((await Promise.all(waiting)).at(-1), [{ ok: false, error: { type: 'bad_request' } }])
  t.match(await run([click(1)]), [{ ok: true }])
})

t.test('actions in a row exclude others, and stop at the first failure', async (t) => {
  const { run, told } = setUp({}, (_, what) => {
    if (what === 'copy') throw new ServiceError('bad_request', 'no')
  })
  const row = run([click(1), typed, action('copy'), click(3)])
  await run([click(2)])
  t.match(told, [/"x":1/, /type/, /copy/, /"x":2/])
  t.match(await row, [{ ok: true }, { ok: true }, { ok: false, error: { type: 'bad_request' } }])
})

t.test('a command that would start too late is not started', async (t) => {
  const { run, told, timeline } = setUp({}, () => timeline.run(limits.commandMs))
  const replies = await run([click(1), click(2)])
  t.match(replies, [{ ok: true }, { ok: false, error: { type: 'timeout' } }])
  t.equal(told.length, 1)
})

t.test('an unexpected failure is reported as internal, without its message', async (t) => {
  const { run } = setUp({}, () => {
    throw new Error('secret')
  })
  const [reply] = await run([click(1)])
  t.match(reply, { ok: false, error: { type: 'internal' } })
  t.notMatch(JSON.stringify(reply), /secret/)
})

t.test('an element is clicked at its position on the screen', async (t) => {
  const { run, told } = setUp()
  await run([action('mouse_click', { selector: '#a', button: 'right' })])
  t.same(told, ['desktop click [{"x":10,"y":107},"right"]'])
})

t.test('the wheel uses CDP by default, and stays inside the page', async (t) => {
  const { run, told } = setUp()
  const input = { x: 50, y: 10, deltaY: 3 }
  await run([action('scroll', input)])
  await run([action('scroll', { ...input, useOs: true, deltaX: -1, steps: 2 })])
  t.same(told, [
    'page scroll [{"x":50,"y":0},{"x":0,"y":3},1]',
    'desktop scroll [{"x":50,"y":10},{"x":-1,"y":3},2]',
  ])
})

t.test('a session without a display uses CDP for everything', async (t) => {
  const { run, told } = setUp({ desktop: undefined })
  await run([click(1)])
  await run([action('scroll', { x: 1, y: 2, deltaY: 3, useOs: true })])
  t.match(told, [/^page click/, /^page scroll/])
  const [reply] = await run([action('screenshot', { source: 'desktop' })])
  t.match(reply, { ok: false, error: { type: 'bad_request', message: /headless/ } })
})

t.test('a screenshot includes its position on the screen', async (t) => {
  const { run } = setUp()
  const [page] = await run([action('screenshot')])
  t.match(page, { ok: true, value: { left: 0, top: 87 } })
  const [desktop] = await run([action('screenshot', { source: 'desktop' })])
  t.match(desktop, { ok: true, value: { left: 0, top: 0 } })
})

t.test('a navigation does not wait for the input, which a dialog may need', async (t) => {
  const slow = gate()
  const { run } = setUp({}, (_, what) => (what === 'type' ? slow.promise : undefined))
  const typing = run([typed])
  t.match(await run([action('goto', { url: 'about:blank' })]), [{ ok: true }])
  slow.resolve()
  await typing
})

t.test('of two hosts of one task only the newer is obeyed', async (t) => {
  const { run, restrict, told } = setUp()
  const by = (epoch: number, id = 'task') => ({ by: { id, epoch } })
  t.match(await run([click(1)], 'one', by(2)), [{ ok: true }])
  await t.rejects(run([click(2)], 'one', by(1)), {
    type: 'conflict',
    message: /continues elsewhere/,
    details: { task_epoch: 2 },
  })
  await t.rejects(restrict(null, by(1)), { type: 'conflict', message: /outdated/ })
  t.match(await run([click(3)], 'one', by(1, 'another')), [{ ok: true }], 'each task has its own')
  t.match(await run([click(4)], 'one'), [{ ok: true }], 'who names no task is not asked')
  t.match(await run([click(5)], 'two', by(1)), [{ ok: true }], 'each session has its own')
  t.equal(told.filter((line) => line.includes('click')).length, 4)
})

t.test(
  'what an older host has not started is dropped, and what it has started is waited for',
  async (t) => {
    const first = gate()
    const { run, told } = setUp({}, (_, what, args) =>
      what === 'click' && JSON.stringify(args).includes('"x":1,') ? first.promise : undefined,
    )
    const begun = run([click(1)], 'one', { by: { id: 'task', epoch: 1 } })
    await until('the first has begun', () => told.length > 0)
    const waiting = run([click(2)], 'one', { by: { id: 'task', epoch: 1 } })
    const newer = run([click(3)], 'one', { by: { id: 'task', epoch: 2 } })
    t.equal(told.length, 1)
    first.resolve()
    t.match(await begun, [{ ok: true }])
    t.match(await waiting, [{ ok: false, error: { type: 'conflict' } }])
    t.match(await newer, [{ ok: true }])
    t.equal(told.length, 2)
  },
)
