/**
 * Words that buttons use for their actions, in the common languages of the web. The list is never
 * complete; it makes a person be asked where they would expect it.
 */

/** Languages with word boundaries: matched as whole words. */
const words = {
  payment: `pay|pay now|buy|buy now|purchase|place (your )?order|order now|submit order|confirm order|
    complete order|finish order|confirm payment|make payment|submit payment|send money|send payment|
    transfer|donate|subscribe|place bid|bid now|book now|confirm booking|
    bezahlen|zahlen|kaufen|bestellen|zahlungspflichtig|kostenpflichtig|spenden|uberweisen|abonnieren|
    buchen|payer|acheter|commander|regler|s'abonner|faire un don|pagar|comprar|realizar pedido|
    hacer pedido|tramitar pedido|suscribirse|donar|transferir|paga|pagare|acquista|compra|ordina|
    conferma ordine|abbonati|dona|prenota|finalizar compra|fazer pedido|assinar|doar|betalen|kopen|
    afrekenen|doneren|abonneren|overmaken|zaplac|kup|kupuje|zamow|zamawiam|przelej|betala|kop|
    bestall|betal|kob|kjop|bestil|maksa|osta|ode|satin al|siparis ver|оплатить|купить|заказать|
    оформить заказ|перевести|подписаться|оплатити|купити|замовити|ادفع|شراء|اطلب|भुगतान|खरीदें`,
  deletion: `delete|remove|erase|destroy|trash|wipe|purge|deactivate|terminate|uninstall|revoke|
    close account|cancel subscription|cancel order|cancel booking|clear all|empty trash|discard|
    loschen|entfernen|verwerfen|kundigen|stornieren|supprimer|effacer|retirer|resilier|eliminar|
    borrar|quitar|suprimir|elimina|cancella|rimuovi|excluir|apagar|remover|verwijderen|wissen|
    opzeggen|usun|skasuj|ta bort|radera|slet|slett|poista|sil|kaldir|удалить|стереть|отменить|
    видалити|حذف|إزالة|हटाएं|मिटाएं`,
  download: `download|save as|export|herunterladen|exportieren|telecharger|descargar|scarica|esporta|
    baixar|downloaden|pobierz|ladda ner|last ned|indir|скачать|загрузить|завантажити|تنزيل`,
  forward: `continue|confirm|submit|finish|complete|ok|okay|yes|done|next|proceed|agree|accept|send|
    weiter|bestatigen|absenden|fertig|ja|senden|continuer|confirmer|valider|envoyer|oui|terminer|
    continuar|confirmar|enviar|aceptar|si|finalizar|continua|conferma|invia|avanti|doorgaan|
    bevestigen|verzenden|dalej|potwierdz|wyslij|fortsatt|bekrafta|devam|onayla|gonder|
    продолжить|подтвердить|отправить|готово|да`,
  card: `card number|credit card|debit card|cvv|cvc|security code|iban|kartennummer|kreditkarte|
    numero de carte|numero de tarjeta|tarjeta de credito|numero di carta|numero do cartao|
    kaartnummer|numer karty|kortnummer|kart numarasi|номер карты`,
} as const

/** Languages without word boundaries. */
const signs = {
  payment:
    '支付|付款|购买|購買|下单|提交订单|结算|支払|購入|注文を確定|決済|결제|구매|주문하기|송금',
  deletion: '删除|刪除|移除|清空|注销|削除|消去|取り消|삭제|제거|탈퇴',
  download: '下载|下載|导出|ダウンロード|다운로드|내보내기',
  forward: '继续|确认|確認|提交|完成|下一步|続行|送信|次へ|はい|확인|계속|다음|완료',
  card: '卡号|信用卡|カード番号|クレジットカード|카드 번호|신용카드',
} as const

export type GateMeaning = keyof typeof words

const patterns = Object.fromEntries(
  Object.entries(words).map(([meaning, list]) => {
    const whole = list.replace(/\s*\n\s*/g, '')
    const apart = `(?<![\\p{L}\\p{N}])(?:${whole})(?![\\p{L}\\p{N}])`
    return [meaning, new RegExp(`${apart}|${signs[meaning as GateMeaning]}`, 'u')]
  }),
) as Readonly<Record<GateMeaning, RegExp>>

/** Lower case, Latin letters without diacritics; `deleteBtn` and `btn-delete` become two words. */
const plain = (text: string) =>
  text
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/[_-]/g, ' ')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/(?<=\p{Script=Latin}\p{M}*)\p{M}/gu, '')
    .replace(/ł/g, 'l')
    .replace(/ø/g, 'o')
    .replace(/ı/g, 'i')
    .normalize('NFKC')

export const hasMeaning = (text: string, meaning: GateMeaning): boolean =>
  patterns[meaning].test(plain(text))

/** File types that a browser downloads instead of showing. */
export const namesFile = (text: string): boolean =>
  /\.(zip|rar|7z|tar|gz|tgz|bz2|xz|exe|msi|dmg|pkg|deb|rpm|apk|iso|jar|bat|sh|ps1|csv|xlsx?|docx?|pptx?|odt|ods|epub|mp4|mp3|bin)(?=$|["\s?#])/i.test(
    text,
  )
