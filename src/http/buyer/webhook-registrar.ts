/** What the webhook's routes need beside the engine. `src/webhooks/webhook-registration.ts` is it. */
export interface WebhookRegistrar {
  /**
   * Why nothing may be sent there; undefined when it may. `isBusy`: a later try may succeed. Within 5 s; never rejects.
   */
  refusalOf(
    accountId: number,
    url: string,
  ): Promise<{ readonly message: string; readonly isBusy: boolean } | undefined>;
  /** In full for the one answer that shows it, and sealed for everything else. */
  newSecret(accountId: number): { readonly secret: string; readonly sealedSecret: string };
  /** Three asterisks and the last 4 characters; undefined when the secret can't be read any more. */
  maskedSecret(accountId: number, sealedSecret: string): string | undefined;
}
