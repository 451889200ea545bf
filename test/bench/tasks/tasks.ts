/**
 * What a task costs apart from its model: the time between an answer and the next question, the
 * tokens of a question, the time to the first question; and how much twenty tasks at once slow down
 * another client's CDP. The model is scripted, on loopback, and waits for a moment: work done
 * during that wait (a screenshot of the page) costs the task no time, but would cost time with a
 * model that answers at once.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { connectRaw } from '../../helpers/browser/browsers.ts'
import { serveFixturePages, type FixturePages } from '../../helpers/pages/fixture-pages.ts'
import type { ModelScript } from '../../helpers/models/answers.ts'
import { serveModel, type ModelServer } from '../../helpers/models/server.ts'
import type { Exchange } from '../../helpers/models/sending.ts'
import { finish, obeying, onThing, type Step } from '../../helpers/models/obeying.ts'
import { TaskClient } from '../../helpers/tasks/service.ts'
import { type Bench, type Figure, median, ms, percentile, timings } from '../lib/report.ts'
import type { World } from '../lib/world.ts'

const steps = 60
/** Less than any real model takes. */
const thinkMs = 250
const starts = 15
const tasksAtOnce = 20
const sessionsOfThem = 2
const stepsOfEach = 6
/** Pause between two round trips: a bystander without pauses would itself add load. */
const pauseMs = 2

interface Scene {
  readonly world: World
  readonly model: ModelServer
  readonly tasks: TaskClient
  readonly pages: FixturePages
}

export const tasks: Bench = {
  name: 'tasks',
  on: 'headless',
  async run(world) {
    await world.calm()
    const [model, pages] = await Promise.all([serveModel(finish()), serveFixturePages()])
    const account = { base_url: model.baseUrl, model: 'scripted' }
    const { status } = await world.service.rest('PUT', '/v1/credentials/compatible', account)
    if (status !== 200) throw new Error(`the account was answered ${status}`)
    const scene = { world, model, tasks: new TaskClient(world.service.rest), pages }
    try {
      return [...(await measureSteps(scene)), await measureStart(scene), ...(await crowd(scene))]
    } finally {
      await Promise.all([model.close(), pages.close()])
    }
  },
}

/** Three kinds of acts in turn, each with a new value. */
const acts = (run: number): Step =>
  [
    onThing('type', 'textbox "Full name', { text: `Ada Lovelace ${run}` }),
    onThing('click', 'button "Advanced"'),
    onThing('select_option', 'combobox "Country"', {
      values: [['Finland', 'Ghana', 'Peru'][run % 3]],
    }),
  ][run % 3]!

const thinking =
  (script: ModelScript): ModelScript =>
  async (request) => {
    await pause(thinkMs)
    return script(request)
  }

const script = (count: number): ModelScript =>
  thinking(obeying(...Array.from({ length: count }, (_, run) => acts(run)), finish()))

const orderOf = ({ pages }: Scene) => ({
  prompt: 'Fill in the form.',
  url: pages.url('form'),
  provider: 'compatible',
  allow_private_network: true,
  final_check: false,
})

async function measureSteps(scene: Scene): Promise<Figure[]> {
  const { world, model, tasks } = scene
  const { id } = await world.create()
  model.answerWith(script(steps))
  const before = model.exchanges.length
  const { id: task } = await tasks.perform(orderOf(scene), id)
  const asked = model.exchanges.slice(before)
  const between = asked.slice(1).map(({ beganMs }, i) => beganMs - asked[i]!.endedMs!)
  const ours = median(between)
  const told = await tasks.steps(task)
  const part = (of: 'observe' | 'act') => ms(median(told.map((step) => step.ms[of])))
  const byHand = await measureByHand(scene, id)
  await world.release(id)
  return [
    {
      name: 'step of a task without its model, p50',
      ours: `${ms(ours)} (reading ${part('observe')}, acting ${part('act')})`,
      baseline: `${ms(byHand)} (the same act and a snapshot, by REST)`,
      ratio: ours / byHand,
      target: '≤ 60 ms',
      met: ours <= 60,
    },
    tokensFigure(asked),
  ]
}

/** The same acts by a client that runs the loop itself. */
async function measureByHand({ world, pages }: Scene, id: string): Promise<number> {
  const path = `/v1/sessions/${id}`
  const command = async (name: string, input: object) => {
    const { status } = await world.service.rest('POST', `${path}/commands/${name}`, input)
    if (status !== 200) throw new Error(`${name} answered ${status}`)
  }
  await command('navigate', { url: pages.url('form') })
  const inputs = (run: number) =>
    [
      ['type', { target: '[data-act=name]', text: `Ada Lovelace ${run}` }],
      ['click', { target: '[data-act=advanced]' }],
      [
        'select_option',
        { target: '[data-act=country]', value: ['Finland', 'Ghana', 'Peru'][run % 3] },
      ],
    ][run % 3] as [string, object]
  const samples = await timings(steps / 2, async (run) => {
    await command(...inputs(run))
    await world.service.rest('GET', `${path}/snapshot`)
  })
  return median(samples)
}

/**
 * Tokens of the prompts, and what each step adds, which is less than keeping every page would add.
 */
function tokensFigure(asked: readonly Exchange[]): Figure {
  const all = asked.map(({ request: { system, user, tools } }) => {
    return countTokens(system) + countTokens(user) + countTokens(JSON.stringify(tools))
  })
  const middle = Math.floor(all.length / 2)
  const growth = (all.at(-1)! - all[middle]!) / (all.length - 1 - middle)
  const page = countTokens(asked.at(-1)!.request.user.split('# Page').at(-1)!)
  return {
    name: 'tokens of a prompt, p50',
    ours: `${median(all)}, and ${growth.toFixed(0)} more with each step`,
    baseline: `${page} more, were pages kept`,
    ratio: growth / page,
    target: '≤ 0.20×',
    met: growth / page <= 0.2,
  }
}

async function measureStart(scene: Scene): Promise<Figure> {
  const { world, model, tasks } = scene
  const { id } = await world.create()
  model.answerWith(finish())
  const samples: number[] = []
  for (let run = 0; run < starts; run++) {
    const began = performance.now()
    await tasks.perform(orderOf(scene), id)
    samples.push(model.exchanges.at(-1)!.beganMs - began)
  }
  const navigate = { url: scene.pages.url('form') }
  const byHand = await timings(starts, async () => {
    await world.service.rest('POST', `/v1/sessions/${id}/commands/navigate`, navigate)
  })
  await world.release(id)
  const [ours, theirs] = [median(samples), median(byHand)]
  return {
    name: 'from the order of a task to its first question, p50',
    ours: ms(ours),
    baseline: `${ms(theirs)} (opening the same page by REST)`,
    ratio: ours / theirs,
    target: '–',
    met: true,
  }
}

/** Round trips of a client that is not involved in the tasks. */
async function crowd(scene: Scene): Promise<Figure[]> {
  const { world, model, tasks } = scene
  const bystander = await world.create()
  const client = await connectRaw(bystander.cdp_url)
  const sessions = await Promise.all(Array.from({ length: sessionsOfThem }, world.create))
  const trip = () => client.send('Browser.getVersion')
  const idle = await timings(300, trip)
  // Each request says how far its task is, so one script serves all of them.
  model.answerWith((request) => {
    const done = [...request.user.matchAll(/^Step (\d+) on/gm)].length
    const step = done < stepsOfEach ? acts(done) : finish()
    return typeof step === 'function' ? step(request) : step
  })
  const began = performance.now()
  let isOver = false
  const all = Promise.all(
    Array.from({ length: tasksAtOnce }, (_, i) =>
      tasks.perform(orderOf(scene), sessions[i % sessionsOfThem]!.id),
    ),
  ).finally(() => (isOver = true))
  const busy: number[] = []
  while (!isOver) {
    const sent = performance.now()
    await trip()
    busy.push(performance.now() - sent)
    await pause(pauseMs)
  }
  await all
  const took = performance.now() - began
  client.close()
  for (const { id } of [bystander, ...sessions]) await world.release(id)
  const calls = tasksAtOnce * (stepsOfEach + 1)
  return [
    compared('CDP round trip beside 20 tasks in 2 sessions, p50', busy, idle, 50),
    compared('the same, p95', busy, idle, 95),
    {
      name: `${tasksAtOnce} tasks of ${stepsOfEach + 1} steps in ${sessionsOfThem} sessions`,
      ours: ms(took),
      baseline: `${ms(took / calls)} a step`,
      target: '–',
      met: true,
    },
  ]
}

const roundTripMaxMs = 25

function compared(name: string, busy: number[], idle: number[], p: number): Figure {
  const [ours, alone] = [percentile(busy, p), percentile(idle, p)]
  return {
    name,
    ours: ms(ours),
    baseline: `${ms(alone)} (idle)`,
    ratio: ours / alone,
    target: `≤ ${roundTripMaxMs} ms`,
    met: ours <= roundTripMaxMs,
  }
}
