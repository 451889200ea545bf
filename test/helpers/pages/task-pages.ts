/**
 * The tasks of `test/fixtures/tasks` on two origins. Each run of a task has its own path and
 * secrets, and a record that its pages write: clicks, mistakes, and whether it is solved.
 */
import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { basename, extname, join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import type { Test } from 'tap'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { closeServer, listenOnLoopback } from '../lib/loopback.ts'

/** A message of a page about itself. */
export interface Told {
  readonly type: 'solved' | 'wrong' | 'truth' | 'click' | 'submit' | 'drop'
  readonly what?: string
}

export interface TaskRun {
  readonly name: string
  readonly goal: string
  readonly url: string
  /** Values that only the pages of this run contain. */
  readonly code: string
  readonly balance: string
  /** Only for tasks that ask for a login. */
  readonly password: string
  /** In the order of arrival. */
  readonly told: readonly Told[]
  /** True when the goal is reached and nothing else was done. */
  isSolved(): boolean
  /** Holds further requests for this page until released; tells whether one has arrived. */
  hold(page: string): HeldPage
}

export interface HeldPage {
  isAskedFor(): boolean
  letGo(): void
}

export interface TaskPages {
  readonly names: readonly string[]
  readonly port: number
  run(name: string): TaskRun
  /** Requests for addresses that no task has, such as attempts to send data elsewhere. */
  readonly strayed: readonly string[]
}

const folder = join(packageRoot, 'test', 'fixtures', 'tasks')
const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
}
const goalText = /<meta\s+name="goal"\s+content="([^"]*)"/

/** Pages with a goal of their own; the other pages belong to them. */
async function taskNames(): Promise<string[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.html')).sort()
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')))
  return files.filter((_, i) => goalText.test(texts[i]!)).map((file) => basename(file, '.html'))
}

/** Served until the test ends. */
export async function serveTasks(t: Test): Promise<TaskPages> {
  const runs = new Map<string, Run>()
  const strayed: string[] = []
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://here')
    const [, id = '', ...rest] = pathname.split('/')
    const run = runs.get(id)
    const stray = () => {
      if (pathname !== '/favicon.ico') strayed.push(`${request.headers.host}${request.url}`)
      response.writeHead(404).end()
    }
    if (!run) return stray()
    const failed = () => response.writeHead(500).end()
    run.answer(rest.join('/'), request, response).then((found) => found || stray(), failed)
  })
  const port = await listenOnLoopback(server)
  t.teardown(() => closeServer(server))
  return {
    names: await taskNames(),
    port,
    strayed,
    run(name) {
      const id = `${name}-${runs.size + 1}`
      const run = new Run(name, id, runs.size + 1, port)
      runs.set(id, run)
      return run
    },
  }
}

class Run implements TaskRun {
  readonly name: string
  readonly goal: string
  readonly url: string
  readonly code: string
  readonly balance: string
  readonly password: string
  readonly told: Told[] = []
  readonly #id: string
  readonly #port: number
  readonly #fetched: string[] = []
  #held: { readonly page: string; readonly waiting: (() => void)[] } | undefined

  constructor(name: string, id: string, seed: number, port: number) {
    this.name = name
    this.#id = id
    this.#port = port
    this.url = `http://127.0.0.1:${port}/${id}/${name}.html`
    this.code = (seed * 7_919_333 + 60_466_176).toString(36).toUpperCase().slice(-6)
    this.balance = `${1_000 + ((seed * 7_919) % 9_000)}.50`
    this.password = `pass word+${this.code}&/ü`
    const [, goal] = goalText.exec(readFileSync(join(folder, `${name}.html`), 'utf8')) ?? []
    if (goal === undefined) throw new Error(`${name} is no task`)
    this.goal = goal
  }

  isSolved(): boolean {
    const types = new Set(this.told.map(({ type }) => type))
    return types.has('solved') && !types.has('wrong')
  }

  hold(page: string): HeldPage {
    const held = { page, waiting: [] as (() => void)[] }
    this.#held = held
    return {
      isAskedFor: () => held.waiting.length > 0,
      letGo: () => {
        this.#held = undefined
        for (const go of held.waiting) go()
      },
    }
  }

  /** False when there is nothing of that name. */
  async answer(path: string, request: IncomingMessage, response: ServerResponse) {
    if (request.method === 'POST') return this.#take(path, await textOf(request), response)
    if (path.startsWith('report/')) return this.#report(basename(path), response)
    if (path === 'fetched') return this.#sayFetched(response)
    const held = this.#held
    if (held?.page === path) await new Promise<void>((go) => held.waiting.push(go))
    const type = types[extname(path)]
    if (!type || (path === 'login-account.html' && !this.#knows(request))) return false
    const text = await readFile(join(folder, basename(path)), 'utf8').catch(() => undefined)
    if (text === undefined) return false
    response.setHeader('content-type', type)
    response.end(this.#fill(text, request.headers.host ?? ''))
    return true
  }

  #fill(text: string, host: string): string {
    const other = host.startsWith('localhost') ? '127.0.0.1' : 'localhost'
    const values: Readonly<Record<string, string>> = {
      code: this.code,
      balance: this.balance,
      password: this.password,
      other: `http://${other}:${this.#port}/${this.#id}`,
    }
    return text.replaceAll(/\{\{(\w+)\}\}/g, (all, name: string) => values[name] ?? all)
  }

  #take(path: string, body: string, response: ServerResponse): boolean {
    if (path === 'tell') {
      this.told.push(JSON.parse(body) as Told)
      response.writeHead(204).end()
      return true
    }
    if (path !== 'login') return false
    const form = new URLSearchParams(body)
    const right = form.get('user') === 'ada' && form.get('password') === this.password
    if (!right) this.told.push({ type: 'wrong', what: `login of ${form.get('user')}` })
    const to = right ? 'login-account.html' : 'login.html?failed'
    const cookie = right ? { 'set-cookie': `${this.#id}=in; Path=/${this.#id}` } : {}
    response.writeHead(303, { location: to, ...cookie }).end()
    return true
  }

  #knows(request: IncomingMessage): boolean {
    return request.headers.cookie?.includes(`${this.#id}=in`) ?? false
  }

  #report(file: string, response: ServerResponse): boolean {
    this.#fetched.push(file)
    response.setHeader('content-type', 'text/csv').end(`report,total\n${file},42\n`)
    return true
  }

  #sayFetched(response: ServerResponse): boolean {
    const look = () => {
      const [file] = this.#fetched
      if (file !== undefined) response.end(file)
      else if (!response.destroyed) setTimeout(look, 20)
    }
    look()
    return true
  }
}
