/** What ends with a client: its open needs, and its scopes in force. */
import type { Author } from '../../../proto/access/author.ts'
import { needActor, type NeedView } from '../../../proto/access/engagement/need.ts'
import { scopeActor, type ScopeView } from '../../../proto/access/engagement/scope.ts'
import type { ClientId } from '../../../proto/access/ids.ts'
import { decode } from '../../../proto/codec.ts'
import { viewKey } from '../../../proto/subjects.ts'
import type { EffectContext, EffectRequest } from '../../../runtime/actor/actor-kind.ts'
import type { ViewRecord } from '../../../runtime/actor/views.ts'
import type { Bucket } from '../../../runtime/store/store.ts'
import { untilEnded, type CitingDeps } from '../common/citations.ts'

export interface EngagementDeps extends CitingDeps {
  /** The public views of all actors; only those of the client are read. */
  readonly views: Pick<Bucket, 'scan'>
}

export interface EndEngagement {
  readonly by: Author
}

export const endEngagementEffect = (
  by: Author,
): EffectRequest<'end_engagement', EndEngagement> => ({
  kind: 'end_engagement',
  retry: 'safe',
  params: { by },
})

const reason = 'The client was closed.'

/** A repeat has no effect on what has ended. What a view does not show yet, gateways refuse. */
export async function endEngagement(
  { directory, views }: EngagementDeps,
  { by }: EndEngagement,
  {
    state,
    signal,
  }: Pick<EffectContext, 'signal'> & { readonly state: { readonly tenant: ClientId } },
): Promise<void> {
  const below = (kind: string) => views.scan(viewKey(kind, state.tenant, ''))
  for await (const { value } of below(needActor.kind)) {
    const { view } = decode<ViewRecord<NeedView>>(value)
    if (signal.aborted) return
    if (view.status === 'closed') continue
    await untilEnded(directory.ask(needActor, view.id, { type: 'close', by, reason }))
  }
  for await (const { value } of below(scopeActor.kind)) {
    const { view } = decode<ViewRecord<ScopeView>>(value)
    if (signal.aborted) return
    if (view.status !== 'active') continue
    await untilEnded(directory.ask(scopeActor, view.id, { type: 'retire', by, reason }))
  }
}
