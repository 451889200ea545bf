/** Editing the settings of an endpoint. */
import type { EndpointView } from '../../../../proto/access/endpoint.ts'
import { notYours } from '../../../access/holder.ts'
import { ErrorSummary, PostForm, Submit } from '../../html/form.tsx'
import { Notice } from '../../html/parts.tsx'
import type { Elsewhere, Problem, Shown } from '../../page.ts'
import type { Visit } from '../../visit.ts'
import { endpointOf, grantOf, isMine } from './found.ts'
import {
  settingFields,
  SettingFields,
  settingsBody,
  settingsIn,
  type Settings,
} from './settings.tsx'

export async function showEdit(visit: Visit, problem?: Problem): Promise<Shown> {
  const endpoint = await endpointOf(visit)
  if (!isMine(visit, endpoint)) throw notYours()
  const page = visit.at(`/webhooks/${endpoint.id}`)
  const settings = visit.form.has('url') ? settingsIn(visit.form) : settingsOf(endpoint)
  return {
    title: 'Change an endpoint',
    up: { href: page, label: 'Endpoint' },
    body: (
      <PostForm visit={visit} action={`${page}/edit`} seen={endpoint.version} class="narrow">
        <ErrorSummary problem={problem} fields={settingFields} />
        <Notice tone="info">
          <p>With another URL it has to prove once more whose it is. Its secret stays.</p>
        </Notice>
        <SettingFields
          permissions={grantOf(visit, endpoint)?.permissions ?? []}
          settings={settings}
          problem={problem}
        />
        <div class="buttons">
          <Submit>Save</Submit>
          <a href={page}>Cancel</a>
        </div>
      </PostForm>
    ),
  }
}

const settingsOf = ({ url, description, events, ...endpoint }: EndpointView): Settings => ({
  ...{ url, description, events, payload: endpoint.payload },
  rate: String(endpoint.ratePerSecond),
})

export async function saveEndpoint(visit: Visit): Promise<Elsewhere> {
  const id = visit.param('id')
  await visit.do('PATCH /v1/webhook-endpoints/{id}', {
    ...{ params: { id }, seen: visit.form.text('seen') },
    body: settingsBody(settingsIn(visit.form)),
  })
  return { to: visit.at(`/webhooks/${id}`), told: 'saved' }
}
