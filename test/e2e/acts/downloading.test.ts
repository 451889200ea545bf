/**
 * Goal: an act or a navigation that starts a download says so, with the id under which it is listed: the
 * page stays as it is, so nothing else would. Method: the whole service, with and without a display.
 */
import { createServer } from 'node:http'
import t from 'tap'
import { closeServer, listenOnLoopback } from '../../helpers/lib/loopback.ts'
import { fileClient, type DownloadJson } from '../../helpers/service/files.ts'
import { createSession, startService } from '../../helpers/service/service.ts'

const site = createServer((request, response) => {
  if (request.url === '/report.csv') {
    response.setHeader('content-disposition', 'attachment').end('a,b')
    return
  }
  response.setHeader('content-type', 'text/html')
  response.end('<title>Reports</title><a href="/report.csv">Get it</a><button>Nothing</button>')
})
const url = `http://127.0.0.1:${await listenOnLoopback(site)}/`
t.teardown(() => closeServer(site))
const service = await startService()
t.teardown(() => service.stop())
const files = fileClient(service)

interface Acted {
  readonly data: { readonly url: string; readonly note?: string }
}

for (const active of [true, false]) {
  t.test(`a download is told, ${active ? 'headless' : 'headful'}`, async (t) => {
    const { id } = await createSession(service.rest, {
      session: { initial_url: url },
      browser: { headless: { active } },
    })
    t.teardown(() => service.rest('DELETE', `/v1/sessions/${id}`))
    const run = async (command: string, input: object) => {
      const path = `/v1/sessions/${id}/commands/${command}`
      const { status, body } = await service.rest<Acted>('POST', path, input)
      t.equal(status, 200, command)
      return body.data
    }
    const answers = [
      await run('click', { target: 'link "Get it"' }),
      await run('navigate', { url: `${url}report.csv` }),
    ]
    const told = answers.map((answer) => {
      t.equal(answer.url, url, 'the page stays')
      return /^A download began: report\.csv \((fil_\w+)\)\.$/.exec(answer.note ?? '')?.[1]
    })
    const listed = await files.list<DownloadJson>(`/v1/sessions/${id}/downloads`)
    t.same(
      told,
      listed.map((file) => file.id),
    )
    t.notOk((await run('click', { target: 'button "Nothing"' })).note)
  })
}
