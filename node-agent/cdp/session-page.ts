/** Which of a browser's targets are pages of its session. */
import type { Protocol } from 'devtools-protocol'

export type PageTarget = Pick<
  Protocol.Target.TargetInfo,
  'targetId' | 'type' | 'url' | 'browserContextId'
>

/** `ownContextId`: the browser context of the agent's own pages, of which nobody is told. */
export const isSessionPage = (
  { type, browserContextId }: Pick<PageTarget, 'type' | 'browserContextId'>,
  ownContextId: string,
): boolean => type === 'page' && browserContextId !== ownContextId
