/** The selected tab as text. */
import { ServiceError } from '../../../proto/errors.ts'
import { find } from '../../page/acting/targets.ts'
import type { Stage } from '../../page/acting/acting.ts'
import type { ElementRef, Excerpt } from '../../page/snapshot/refs.ts'
import type { Workbench } from '../workbench.ts'
import type { HandlersOf } from './handler.ts'

export const describingHandlers: HandlersOf<'snapshot' | 'find' | 'extract_text'> = {
  snapshot: (bench, { target, urls, max_tokens: maxTokens }) =>
    describe(bench, async (stage) => {
      const within = await inside(stage, target)
      return stage.view.snapshot({ within, urls, maxTokens })
    }),
  find: (bench, { text, max_tokens: maxTokens }) =>
    describe(bench, ({ view }) => view.find(text, maxTokens)),
  extract_text: (bench, { target, format, max_chars: maxChars }) =>
    describe(bench, async (stage) => {
      const within = await inside(stage, target)
      return stage.view.extract({ within, format, maxChars })
    }),
}

async function describe(bench: Workbench, look: (stage: Stage) => Promise<Excerpt>) {
  const stage = await bench.stage()
  const { text, more } = await look(stage)
  const where = '() => ({ url: location.href, title: document.title })'
  const { url, title } = await stage.tab.evaluate<{ url: string; title: string }>(where)
  return { url, title, text, more }
}

async function inside(stage: Stage, target: string | undefined): Promise<ElementRef | undefined> {
  if (target === undefined) return undefined
  const found = await find(stage, target)
  if (!found) {
    const message = `Nothing on the page matches ${target}; take a snapshot without a target.`
    throw new ServiceError('element_not_found', message, { matches: 0 })
  }
  const { element } = found
  const { node } = await element.send<{ node: { backendNodeId: number } }>('DOM.describeNode')
  element.release()
  return {
    tab: stage.tab,
    sessionId: element.frame.session,
    backendNodeId: node.backendNodeId,
  }
}
