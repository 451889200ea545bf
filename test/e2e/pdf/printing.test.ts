/**
 * Goal: a page that prints, as an invoice or a ticket does, goes on, and on a desktop its PDF is among the
 * downloads; a page that draws with WebGL can. Method: the whole service, with and without a display.
 */
import t from 'tap'
import { serveWebPage } from '../../helpers/pages/web-page.ts'
import { fileClient, type DownloadJson } from '../../helpers/service/files.ts'
import { createSession, startService } from '../../helpers/service/service.ts'
import { until } from '../../helpers/lib/until.ts'

const service = await startService()
t.teardown(() => service.stop())
const site = await serveWebPage(
  `<title>Invoice 7</title><button onclick="print(); document.title = 'Invoice 8'">Print</button>`,
)
t.teardown(() => site.close())
const files = fileClient(service)

interface CommandAnswer {
  readonly data: { readonly title: string; readonly value: unknown }
}

for (const active of [false, true]) {
  const how = active ? 'headless' : 'headful'
  t.test(`a page that prints goes on, ${how}`, async (t) => {
    const { id } = await createSession(service.rest, {
      session: { initial_url: site.url },
      browser: { headless: { active }, evaluate: { active: true } },
    })
    t.teardown(() => service.rest('DELETE', `/v1/sessions/${id}`))
    const run = (command: string, input: object) =>
      service.rest<CommandAnswer>('POST', `/v1/sessions/${id}/commands/${command}`, input)
    t.match(await run('click', { target: 'button "Print"' }), { status: 200 })
    await until('the page has gone on', async () => {
      const { status, body } = await run('snapshot', {})
      return status === 200 && body.data.title === 'Invoice 8'
    })
    const webgl = 'document.createElement("canvas").getContext("webgl") !== null'
    t.match(await run('evaluate', { expression: webgl }), { body: { data: { value: true } } })
    if (active) return
    const list = () => files.list<DownloadJson>(`/v1/sessions/${id}/downloads`)
    const [printed, ...others] = await until('it is printed', async () => {
      const found = await list()
      return found.length > 0 && found
    })
    t.same(others, [])
    t.match(printed, { suggested_file_name: 'Invoice 7.pdf', state: 'completed' })
    const { text } = await files.bytes(`/v1/sessions/${id}/downloads/${printed!.id}`)
    t.match(text, /^%PDF-/)
    t.equal((await list())[0]!.id, printed!.id, 'it keeps its id')
  })
}
