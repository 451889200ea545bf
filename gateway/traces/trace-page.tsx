/**
 * A trace as one HTML file that contains its pictures and styles. It has no script and loads
 * nothing, so it can be opened without the service. Every value is escaped as text.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TraceCommand, TraceHead } from '../../proto/browser-host/trace.ts'
import { eventActor, eventDetail, eventWord } from '../../runtime/browser-host/event-words.ts'
import { packageRoot } from '../../runtime/lib/package.ts'
import { toHtml, type Markup } from '../html/markup.ts'
import type { AnyTraceLine, OtherEvent, TaskTraceHead, TraceStep } from './trace-lines.ts'

const sheets = ['shared/colours.css', 'shared/base.css', 'traces/trace.css']
const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"

const styles = (): string =>
  sheets.map((name) => readFileSync(join(packageRoot, 'gateway/web', name), 'utf8')).join('\n')

/** The parts of the file, produced while the trace is read. */
export async function* tracePage(
  title: string,
  lines: AsyncIterable<AnyTraceLine>,
): AsyncGenerator<string> {
  yield '<!doctype html><html lang="en">'
  yield toHtml(<PageHead title={title} />)
  // The sheets are our own; as text in JSX their quotes would be escaped.
  yield `<style>${styles()}</style></head><body><main>`
  for await (const line of lines) yield toHtml(markupOf(line))
  yield '</main></body></html>'
}

/** The head without its end, because the style sheets follow. */
const PageHead = ({ title }: { title: string }) => (
  <>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta http-equiv="content-security-policy" content={policy} />
    <title>{title}</title>
  </>
)

function markupOf(line: AnyTraceLine): Markup {
  switch (line.type) {
    case 'trace':
      return <SessionHead head={line} />
    case 'task':
      return <TaskHead head={line} />
    case 'step':
      return <Step step={line} />
    case 'command':
      return <Command command={line} />
    case 'full':
      return <p class="notice">{line.message}</p>
    default:
      return <Event event={line} />
  }
}

const SessionHead = ({ head }: { head: TraceHead }) => (
  <header>
    <h1>Trace of a session</h1>
    <p>
      <code>{head.session_id}</code>, from <time datetime={head.at}>{head.at}</time>. After each
      command: what changed on the page (+ new, ~ changed, − gone), its picture, and what it wrote
      and asked for; between commands, what else happened.
    </p>
  </header>
)

/** What happened besides commands. */
const Event = ({ event }: { event: OtherEvent }) => (
  <p class="facts">
    <time datetime={event.at}>{event.at.slice(11, 19)}</time> {eventWord(event)}{' '}
    <bdi>{eventDetail(event)}</bdi> {eventActor(event)}
  </p>
)

const TaskHead = ({ head: { task } }: { head: TaskTraceHead }) => (
  <header>
    <h1>Trace of a task</h1>
    <p>{task.prompt}</p>
    <p>
      <code>{task.id}</code>: {task.state.replaceAll('_', ' ')}, {task.steps} steps
      {task.error === undefined ? '' : `: ${task.error}`}
    </p>
    {task.result ? <Text label="Result" text={JSON.stringify(task.result, null, 2)} /> : ''}
  </header>
)

const Step = ({ step }: { step: TraceStep }) => (
  <article id={`step-${step.n}`}>
    <h2>
      <a href={`#step-${step.n}`}>{step.n}</a> {step.reason}
    </h2>
    <p class="facts">
      <bdi>{step.page.title}</bdi> <code>{step.page.url}</code>
    </p>
    <p class="facts">
      {step.at} · {step.ms.observe} ms looking · {step.ms.decide} ms deciding · {step.ms.act} ms
      acting · {step.tokens.input + step.tokens.output} tokens
    </p>
    <div class="seen">
      <div>
        {step.actions.map((action) => (
          <section>
            <h3>
              {action.tool.replaceAll('_', ' ')}{' '}
              <span class={action.outcome === 'done' ? 'done' : 'failed'}>{action.outcome}</span>{' '}
              <small>{action.ms} ms</small>
            </h3>
            <pre>{JSON.stringify(action.input)}</pre>
            {action.text === undefined || action.text === '' ? '' : <pre>{action.text}</pre>}
          </section>
        ))}
      </div>
      <Picture of={step} alt={`The page before step ${step.n}`} />
    </div>
  </article>
)

const Command = ({ command }: { command: TraceCommand }) => (
  <article id={`command-${command.n}`}>
    <h2>
      <a href={`#command-${command.n}`}>{command.n}</a> {command.command.replaceAll('_', ' ')}{' '}
      <span class={command.outcome === 'done' ? 'done' : 'failed'}>
        {command.outcome.replaceAll('_', ' ')}
      </span>{' '}
      <small>{command.ms} ms</small>
    </h2>
    <p class="facts">
      {command.at} {command.task === undefined ? '' : `· by the task ${command.task}`}
    </p>
    {command.url === undefined ? (
      ''
    ) : (
      <p class="facts">
        <bdi>{command.title}</bdi> <code>{command.url}</code>
      </p>
    )}
    {command.message === undefined ? '' : <p class="notice">{command.message}</p>}
    {command.note === undefined ? '' : <p class="facts">Not all was seen: {command.note}</p>}
    <div class="seen">
      <div>
        <Text label="Input" text={inputText(command.input)} />
        <Text label="Changes" text={command.changes} />
        <Text label="Console" text={command.console?.map(consoleText).join('\n')} />
        <Text label="Requests" text={command.requests?.map(requestText).join('\n')} />
      </div>
      <Picture of={command} alt={`The page after command ${command.n}`} />
    </div>
  </article>
)

const Text = ({ label, text }: { label: string; text: string | undefined }) =>
  text === undefined || text === '' ? (
    <></>
  ) : (
    <section>
      <h3>{label}</h3>
      <pre>{text}</pre>
    </section>
  )

const Picture = ({ of, alt }: { of: { readonly picture?: string }; alt: string }) =>
  of.picture === undefined ? <></> : <img src={dataUrl(of.picture)} alt={alt} loading="lazy" />

/** Base64 of a PNG starts with this prefix; other pictures are JPEG. */
const dataUrl = (base64: string): string =>
  `data:image/${base64.startsWith('iVBORw') ? 'png' : 'jpeg'};base64,${base64}`

const inputText = (input: unknown): string | undefined =>
  input === undefined || JSON.stringify(input) === '{}' ? undefined : JSON.stringify(input, null, 1)

type ConsoleLine = NonNullable<TraceCommand['console']>[number]
type PageRequest = NonNullable<TraceCommand['requests']>[number]

const consoleText = ({ level, text }: ConsoleLine): string => `${level}: ${text}`
const requestText = ({ method, status, url, error }: PageRequest): string =>
  `${method} ${error ?? status ?? '…'} ${url}`
