// Goal: a real, published command-line agent solves a task with our tools and gets no others.
// Method: `qwen --acp` where it is installed, its model a scripted server on loopback.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { findProgram } from '../../../actors/task/acp/registry.ts'
import type { StepRecord } from '../../../proto/task/task.ts'
import { call, say, type Completion } from '../../helpers/models/answers.ts'
import type { ChatRequest } from '../../helpers/models/request.ts'
import { serveModel } from '../../helpers/models/server.ts'
import { headless, startService } from '../../helpers/service/service.ts'
import { serveWebPage } from '../../helpers/pages/web-page.ts'

const command = process.env['QWEN_BIN'] ?? 'qwen'
const qwen = findProgram(command, process.env['PATH'] ?? '')
const skip = qwen === undefined && 'qwen is not installed: npm install -g @qwen-code/qwen-code'

t.test(
  'qwen greets with our tools after its own shell tool was refused',
  { skip, timeout: 180_000 },
  async (t) => {
    const home = mkdtempSync(join(tmpdir(), 'troupe-qwen-'))
    mkdirSync(join(home, '.qwen'))
    const settings = {
      telemetry: { enabled: false },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      security: { auth: { selectedType: 'openai' } },
    }
    writeFileSync(join(home, '.qwen/settings.json'), JSON.stringify(settings))
    const page = await serveWebPage(`<title>Greeter</title>
    <label>Name <input id=who></label><output id=said></output>
    <button onclick="said.textContent = 'Hello ' + who.value">Greet</button>`)

    /** What its model calls, in order; side questions, which offer no shell, get a plain answer. */
    const wishes: readonly (readonly [tool: string, input: object])[] = [
      ['run_shell_command', { command: 'touch pwned', description: 'x', is_background: false }],
      ['mcp__troupe__type', { target: 'textbox "Name"', text: 'Ada', note: 'The name first.' }],
      ['mcp__troupe__click', { target: 'button "Greet"', note: 'Now greet.' }],
      ['mcp__troupe__done', { success: true, answer: 'Greeted Ada.' }],
    ]
    let next = 0
    const answer = ({ tools, raw }: ChatRequest): Completion => {
      const offered = new Set(tools.map(({ name }) => name))
      const [tool, input] = wishes[next] ?? []
      if (!offered.has('run_shell_command') || tool === undefined) return say('Nothing more.')
      // It hides MCP tools until they were searched for, and then calls them through another tool.
      if (!offered.has(tool) && !raw.includes(`\\"name\\":\\"${tool}\\"`)) {
        return call('tool_search', { query: `select:${tool}`, max_results: 1 })
      }
      next++
      if (offered.has(tool)) return call(tool, { ...input })
      return call('tool_call', { name: tool, arguments: input })
    }
    const model = await serveModel(answer, { takesAll: true })
    const env = { HOME: home, OPENAI_BASE_URL: model.baseUrl, OPENAI_API_KEY: 'any' }
    const service = await startService({
      env: {
        ACP_AGENTS: 'qwen',
        ACP_COMMANDS: JSON.stringify({
          qwen: { command: qwen, args: ['--acp'], env: { ...env, OPENAI_MODEL: 'scripted' } },
        }),
      },
    })
    t.teardown(async () => {
      await service.stop()
      await model.close()
      await page.close()
      rmSync(home, { recursive: true, force: true })
    })

    const path = '/v1/tools/perform-web-task'
    const { status, body } = await service.rest<{ data: { id: string; result: object } }>(
      'POST',
      path,
      {
        prompt: 'Greet Ada.',
        url: page.url,
        provider: 'acp:qwen',
        session_options: headless,
        allow_private_network: true,
      },
    )
    t.equal(status, 200, JSON.stringify(body))
    t.match(body.data.result, { success: true, result: 'Greeted Ada.' })
    const steps = await service.rest<{ data: { steps: StepRecord[] } }>(
      'GET',
      `${path}/${body.data.id}/steps`,
    )
    const acts = steps.body.data.steps.flatMap(({ actions }) => actions)
    t.match(acts, [
      { tool: 'type', outcome: 'done' },
      { tool: 'click', outcome: 'done', text: /Hello Ada/ },
    ])
    t.same(model.problems, [])
  },
)
