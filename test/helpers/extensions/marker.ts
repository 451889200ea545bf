/**
 * An extension that marks each document before its scripts run, counts the marks in its storage, and
 * lets nothing be loaded whose address contains `unwanted`.
 */
import { zipOf, type ZipEntry } from '../files/zip.ts'

const manifest = {
  manifest_version: 3,
  name: 'Marker',
  version: '1.2',
  description: 'Marks pages.',
  permissions: ['storage', 'tabs', 'declarativeNetRequest'],
  host_permissions: ['<all_urls>'],
  background: { service_worker: 'worker.js' },
  action: { default_popup: 'popup.html' },
  content_scripts: [
    {
      ...{ matches: ['<all_urls>'], js: ['mark.js'], run_at: 'document_start' },
      ...{ all_frames: true, match_about_blank: true },
    },
  ],
  declarative_net_request: {
    rule_resources: [{ id: 'unwanted', enabled: true, path: 'rules.json' }],
  },
}

const rules = [{ id: 1, action: { type: 'block' }, condition: { urlFilter: 'unwanted' } }]

/** Counts one mark after the other: two documents that load together are two marks. */
const worker = `let counted = Promise.resolve()
chrome.runtime.onMessage.addListener((message, sender, reply) => {
  counted = counted
    .then(() => chrome.storage.local.get({ marks: 0 }))
    .then(({ marks }) => chrome.storage.local.set({ marks: marks + 1 }))
    .then(() => reply('counted'))
  return true
})
const marks = () => chrome.storage.local.get({ marks: 0 }).then(({ marks }) => marks)`

const mark = `document.documentElement.dataset.marked = '1.2'
chrome.runtime.sendMessage('marked')`

/** Its files; `change` is merged into the manifest. */
export const markerFiles = (change: object = {}): readonly ZipEntry[] => [
  { name: 'manifest.json', text: JSON.stringify({ ...manifest, ...change }) },
  { name: 'worker.js', text: worker },
  { name: 'mark.js', text: mark },
  { name: 'rules.json', text: JSON.stringify(rules) },
  { name: 'popup.html', text: '<!doctype html><title>Marker</title><h1>Marks pages</h1>' },
]

export const markerZip = (change: object = {}): Buffer => zipOf(markerFiles(change))
