/** The list of this tenant's extensions. */
import type { z } from 'zod'
import { extensionListJson, type extensionJson } from '../../../extensions/extension-json.ts'
import { ErrorSummary } from '../../../html/form.tsx'
import type { FormProblem } from '../../../html/forms/problem.ts'
import type { PageContent } from '../../../html/page-content.ts'
import { EmptyState } from '../../../html/parts.tsx'
import { plural } from '../../../html/plural.ts'
import { DataTable, type TableColumn } from '../../../html/table.tsx'
import { spanWord } from '../../../html/times.ts'
import { QuestionButton } from '../../html/question.tsx'
import { sizeWord } from '../../../../runtime/lib/text/sizes.ts'
import type { ConsoleRedirect } from '../../page.ts'
import type { ConsoleVisit } from '../../visit.ts'

type ListedExtension = z.output<typeof extensionJson>

export async function showExtensions(
  visit: ConsoleVisit,
  problem?: FormProblem,
): Promise<PageContent> {
  const { data } = await visit.run('GET /v1/extensions', {}, extensionListJson)
  return {
    title: 'Extensions',
    lead:
      'An extension of Chromium changes what its pages are and do. Sessions have those that they ' +
      'name; the browsers of all others do not.',
    body: (
      <>
        <ErrorSummary problem={problem} />
        {data.length === 0 ? (
          <EmptyState title="There are no extensions yet">
            <p>
              Upload the folder of one with <code>troupe extensions add NAME FOLDER</code>, or a ZIP
              of it with <code>POST /v1/extensions</code>. See{' '}
              <a href="/docs/guides/extensions">Extensions</a>.
            </p>
          </EmptyState>
        ) : (
          <DataTable
            caption={plural(data.length, 'extension')}
            rows={data}
            columns={columns(visit)}
            idOf={({ id }) => id}
          />
        )}
      </>
    ),
  }
}

const columns = (visit: ConsoleVisit): readonly TableColumn<ListedExtension>[] => [
  {
    label: 'Extension',
    isHead: true,
    cell: ({ name, manifest }) => (
      <>
        <bdi>{name}</bdi>
        <span class="reason">
          <bdi>{manifest.name}</bdi> {manifest.version}
        </span>
      </>
    ),
  },
  { label: 'May', cell: ({ manifest }) => rightsOf(manifest) },
  { label: 'Size', isNumber: true, cell: ({ size_bytes: size }) => sizeWord(size) },
  {
    label: 'Uploaded',
    cell: ({ createdAt: time }) => `${spanWord(visit.now - Date.parse(time))} ago`,
  },
  { label: 'Actions', cell: (extension) => <ExtensionActions of={extension} visit={visit} /> },
]

function rightsOf({ permissions, host_permissions: hosts }: ListedExtension['manifest']): string {
  const rights = [...permissions, ...hosts]
  return rights.length === 0 ? 'Nothing special' : rights.join(', ')
}

interface ActionsProps {
  readonly of: ListedExtension
  readonly visit: ConsoleVisit
}

const ExtensionActions = ({ of: { id, name }, visit }: ActionsProps) => (
  <div class="row-acts">
    <a href={visit.at(`/sessions/new?extension=${id}`)}>
      New session<span class="hidden"> with {name}</span>
    </a>
    <QuestionButton
      id={`delete-${id}`}
      visit={visit}
      action={visit.at(`/extensions/${id}/delete`)}
      isLink
      label={
        <>
          Delete<span class="hidden"> {name}</span>
        </>
      }
      does="Delete this extension"
      keeps="Keep it"
      question={
        <>
          <b>
            Delete “<bdi>{name}</bdi>”?
          </b>{' '}
          Sessions that have it keep it until they end. This cannot be undone.
        </>
      }
    />
  </div>
)

export async function deleteExtension(visit: ConsoleVisit): Promise<ConsoleRedirect> {
  const params = { extension_id: visit.param('id') }
  await visit.do('DELETE /v1/extensions/{extension_id}', { params })
  return { to: visit.at('/extensions'), notice: 'extension-deleted' }
}
