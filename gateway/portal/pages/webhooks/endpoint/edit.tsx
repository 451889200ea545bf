/** Editing the settings of an endpoint. */
import type { EndpointView } from '../../../../../proto/access/webhooks/endpoint.ts'
import { notHolderError } from '../../../../access/gate/holder.ts'
import { ErrorSummary, PostForm, SubmitButton } from '../../../../html/form.tsx'
import { NoticeBox } from '../../../../html/parts.tsx'
import type { Redirect } from '../../../page.ts'
import type { FormProblem } from '../../../../html/forms/problem.ts'
import type { PageContent } from '../../../../html/page-content.ts'
import type { Visit } from '../../../visit.ts'
import { endpointOf, grantOf, isMine } from '../lookup.ts'
import {
  settingFields,
  SettingFields,
  settingsBody,
  settingsIn,
  type EndpointFormSettings,
} from './settings.tsx'

export async function showEndpointEdit(visit: Visit, problem?: FormProblem): Promise<PageContent> {
  const endpoint = await endpointOf(visit)
  if (!isMine(visit, endpoint)) throw notHolderError()
  const page = visit.at(`/webhooks/${endpoint.id}`)
  const settings = visit.form.has('url') ? settingsIn(visit.form) : settingsOf(endpoint)
  return {
    title: 'Edit the endpoint',
    up: { href: page, label: 'Endpoint' },
    body: (
      <PostForm visit={visit} action={`${page}/edit`} seen={endpoint.version} class="narrow">
        <ErrorSummary problem={problem} fields={settingFields} />
        <NoticeBox tone="info">
          <p>
            If you change the URL, the endpoint must be verified again. Its secret stays the same.
          </p>
        </NoticeBox>
        <SettingFields
          permissions={grantOf(visit, endpoint)?.permissions ?? []}
          settings={settings}
          problem={problem}
        />
        <div class="buttons">
          <SubmitButton>Save</SubmitButton>
          <a href={page}>Cancel</a>
        </div>
      </PostForm>
    ),
  }
}

const settingsOf = ({
  url,
  description,
  events,
  ...endpoint
}: EndpointView): EndpointFormSettings => ({
  ...{ url, description, events, payload: endpoint.payload },
  rate: String(endpoint.ratePerSecond),
})

export async function saveEndpoint(visit: Visit): Promise<Redirect> {
  const id = visit.param('id')
  await visit.do('PATCH /v1/webhook-endpoints/{id}', {
    ...{ params: { id }, seen: visit.form.text('seen') },
    body: settingsBody(settingsIn(visit.form)),
  })
  return { to: visit.at(`/webhooks/${id}`), notice: 'saved' }
}
